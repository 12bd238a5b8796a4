package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	asked = "catch-all" // the schema that the gets read
	place = "bench"     // the namespace and its service account
)

// userManifest holds the service account of the measurements. It may get flow schemas.
const userManifest = `
apiVersion: v1
kind: Namespace
metadata: {name: bench}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: bench, namespace: bench}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: bench}
rules:
- {verbs: [get], apiGroups: ["*"], resources: [flowschemas]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: bench}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: bench}
subjects:
- {kind: ServiceAccount, name: bench, namespace: bench}
`

// createAccount creates the service account and returns a token of it.
func createAccount(o *harness.Owner, kubectl *harness.Kubectl) (token string) {
	kubectl.RunInput(o, userManifest, "apply", "-f", "-")
	return strings.TrimSpace(kubectl.Run(o, "create", "token", "--namespace="+place, place))
}

// builtIn is the number of FlowSchemas that kube-apiserver creates.
const builtIn = 13

// measureInside measures the processor time of a request to a kube-apiserver with pkg/apf
// and to the same with the library's engine.
func measureInside(o *harness.Owner, s settings) []table {
	result := table{
		title: "Processor time of a request",
		note: fmt.Sprintf("Of the kube-apiserver process (user and system), for a get of a FlowSchema by a service account, through %d clients "+
			"on connections of their own.", manyClients),
		columns: [2]string{"pkg/apf", "the library's engine"},
	}
	for _, schemas := range []int{builtIn, 1000, 10_000} {
		o.Logf("inside: %d FlowSchemas", schemas)
		benchmark := fmt.Sprintf("Inside/schemas=%d", schemas)
		o.Within(func(o *harness.Owner) { measureEngines(o, s, benchmark, schemas) })
		result.rows = append(result.rows,
			compare(fmt.Sprintf("%d FlowSchemas, processor time", schemas), benchmark, processor, 1),
			compare(fmt.Sprintf("%d FlowSchemas, requests", schemas), benchmark, measurement.PerSecond, 1))
	}
	return []table{result}
}

// measureEngines measures both engines with that many schemas.
func measureEngines(o *harness.Owner, s settings, benchmark string, schemas int) {
	etcds := [2]*harness.Etcd{startEtcd(o), startEtcd(o)}
	if schemas > builtIn {
		fill(o, etcds, schemas-builtIn)
	}
	servers := [2]contender{startInside(o, etcds[ours]), startInside(o, etcds[theirs], "FLOW_CONTROL_ENGINE=library")}
	clients := [2][]*client{servers[ours].clients(o, manyClients), servers[theirs].clients(o, manyClients)}
	get := operation{name: "get", count: 4000, send: func(ctx context.Context, c *client, _ int) error {
		return c.do(ctx, http.MethodGet, collection+"/"+asked, "")
	}}
	s.measureTurns(o, benchmark, servers, clients, get)
}

// startInside starts a kube-apiserver with pkg/apf, or with the engine that a variable of
// the environment chooses.
func startInside(o *harness.Owner, etcd *harness.Etcd, env ...string) contender {
	program := harness.Program(o, binaries.ReplacedKubeAPIServer(binaries.KubernetesVersion))
	server := harness.StartKubeAPIServer(o, harness.KubeAPIServerOptions{Etcd: etcd, Program: program, Env: env})
	token := createAccount(o, harness.NewKubectl(o, server.Kubeconfig))
	return contender{process: server.Process, clients: func(o *harness.Owner, count int) []*client {
		config := rest.AnonymousClientConfig(server.Config(o))
		config.BearerToken = token
		return newClients(o, config, nil, count)
	}}
}
