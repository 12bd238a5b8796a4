package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// stored is the number of FlowSchemas that each server stores besides those in force. So
// a list of 500 costs 5 seats.
const stored = 500

// token is the bearer token of the administrator of this project's server.
const token = "fidelity-admin-token"

// rights let each client read FlowSchemas. They are in force before flow control is
// asked, so that no request is forbidden.
const rights = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: fidelity}
rules:
- {apiGroups: [flowcontrol.apiserver.k8s.io], resources: [flowschemas], verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: fidelity}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: fidelity}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: Group, name: system:authenticated}
`

// auditPolicy logs each request when it is complete.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`

// server is a kind of server that is measured.
type server struct {
	name string
	// title is its name in the table.
	title   string
	release configuration.Release
	engine  simulate.EngineKind
	launch  func(o *harness.Owner, etcd *harness.Etcd, args []string) (*harness.APIServer, *rest.Config)
}

func servers() []server {
	return []server{
		{name: "kube-apiserver-1.33", title: "kube-apiserver 1.33", release: "1.33", engine: simulate.Library, launch: launchKubeAPIServer(nil)},
		{name: "kube-apiserver-1.36", title: "kube-apiserver 1.36", release: "1.36", engine: simulate.Library, launch: launchKubeAPIServer(binaries.NextKubeAPIServer,
			// Lists of an exact version come from etcd, as in 1.33, so that the proxy delays them.
			"--feature-gates=ListFromCacheSnapshot=false")},
		{name: "flowcontrol-apiserver", title: "flowcontrol-apiserver", release: "1.33", engine: simulate.Ours, launch: launchOurs},
	}
}

func serverNames() []string {
	var names []string
	for _, s := range servers() {
		names = append(names, s.name)
	}
	return names
}

// chooseServers returns the servers with a name; all if it is empty.
func chooseServers(name string) ([]server, error) {
	if name == "" {
		return servers(), nil
	}
	for _, s := range servers() {
		if s.name == name {
			return []server{s}, nil
		}
	}
	return nil, fmt.Errorf("-server is %q: must be one of %s", name, strings.Join(serverNames(), ", "))
}

func launchKubeAPIServer(build func(context.Context) (string, error), more ...string) func(*harness.Owner, *harness.Etcd, []string) (*harness.APIServer, *rest.Config) {
	return func(o *harness.Owner, etcd *harness.Etcd, args []string) (*harness.APIServer, *rest.Config) {
		program := ""
		if build != nil {
			program = harness.Program(o, build)
		}
		k := harness.StartKubeAPIServer(o, harness.KubeAPIServerOptions{Etcd: etcd, Program: program, Args: append(args, more...)})
		k.Kubectl(o).RunInput(o, rights, "apply", "-f", "-")
		return &k.APIServer, k.Config(o)
	}
}

func launchOurs(o *harness.Owner, etcd *harness.Etcd, args []string) (*harness.APIServer, *rest.Config) {
	dir := o.TempDir()
	tokens, roles := filepath.Join(dir, "tokens.csv"), filepath.Join(dir, "rights.yaml")
	o.Check(os.WriteFile(tokens, []byte(token+",admin,admin,system:masters\n"), 0o600))
	o.Check(os.WriteFile(roles, []byte(rights), 0o600))
	// Lists cost what they cost in kube-apiserver, so that the clients mean the same.
	s := harness.StartServer(o, harness.ServerOptions{Etcd: etcd, Args: append(args,
		"--token-auth-file="+tokens, "--authorization-rbac-file="+roles, "--list-cost=count", "--flow-control-total=static")})
	config := rest.AnonymousClientConfig(s.Config(o))
	config.BearerToken = token
	return &s.APIServer, config
}

// running is a server that runs.
type running struct {
	server
	api    *harness.APIServer
	audit  string // path of the audit log
	client *http.Client
	base   string
}

// start starts a server with an etcd of its own, and stores objects.
func (s server) start(o *harness.Owner) *running {
	dir := o.TempDir()
	policy := filepath.Join(dir, "policy.yaml")
	o.Check(os.WriteFile(policy, []byte(auditPolicy), 0o600))
	r := &running{server: s, audit: filepath.Join(dir, "audit.log")}
	etcd := startSlowEtcd(o, harness.StartEtcd(o, harness.EtcdOptions{}))
	api, config := s.launch(o, etcd, []string{
		"--v=3", "--audit-policy-file=" + policy, "--audit-log-path=" + r.audit,
		"--max-requests-inflight=" + strconv.Itoa(total*2/3), "--max-mutating-requests-inflight=" + strconv.Itoa(total-total*2/3),
	})
	transport, err := rest.TransportFor(config)
	o.Check(err)
	r.api, r.client, r.base = api, &http.Client{Transport: transport}, config.Host
	r.fill(o)
	return r
}

// fill stores objects that match no request.
func (r *running) fill(o *harness.Owner) {
	var objects strings.Builder
	for i := range stored {
		fmt.Fprintf(&objects, "---\napiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: stored-%d}\n"+
			"spec: {matchingPrecedence: 10000, priorityLevelConfiguration: {name: catch-all}}\n", i)
	}
	r.api.Kubectl(o).RunInput(o, objects.String(), "create", "-f", "-")
}
