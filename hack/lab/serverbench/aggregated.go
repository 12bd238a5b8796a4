package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	group    = "flowcontrol.apiserver.k8s.io"
	beside   = "/apis/" + group + "/v1beta3/flowschemas"
	asked    = "catch-all" // the schema that the gets read
	place    = "bench"     // the namespace and its service account
	replicas = 2           // of this server
)

// front is a kube-apiserver that aggregates this server and a server that does
// nothing.
type front struct {
	kube    *harness.KubeAPIServer
	kubectl *harness.Kubectl
	serving *harness.CA
	ours    [replicas]*harness.Server // the first is the registered one
	token   string                    // of the service account
	nothing nothing
}

func measureAggregated(o *harness.Owner, s settings) (tables []table) {
	o.Within(func(o *harness.Owner) {
		f := startFront(o)
		tables = []table{f.measureGets(o, s), f.measureEnforcement(o, s)}
	})
	return tables
}

func startFront(o *harness.Owner) *front {
	etcd := startEtcd(o)
	f := &front{
		kube:    harness.StartKubeAPIServer(o, harness.KubeAPIServerOptions{Etcd: etcd}),
		serving: harness.NewCA(o, "serving-ca"),
	}
	f.kubectl = harness.NewKubectl(o, f.kube.Kubeconfig)
	f.token = createAccount(o, f.kubectl)
	pair := f.servingPair(o, "ours")
	for i := range f.ours {
		f.ours[i] = harness.StartServer(o, harness.ServerOptions{Program: harness.Program(o, binaries.Release), Etcd: etcd, Args: []string{
			"--etcd-prefix=" + storePrefix, "--kubeconfig=" + f.kube.Kubeconfig,
			"--tls-cert-file=" + pair.CertFile, "--tls-private-key-file=" + pair.KeyFile,
		}})
	}
	f.register(o, "ours", group, "v1beta3", f.ours[0].Port)
	answer := await(o, f.client(o, f.kube.URL), beside+"/"+asked)
	f.nothing = startNothing(o, f.servingPair(o, "nothing"), answer)
	f.register(o, "nothing", nothingGroup, "v1", f.nothing.port)
	await(o, f.client(o, f.kube.URL), nothingPath)
	return f
}

// servingPair returns a certificate for the named Service.
func (f *front) servingPair(o *harness.Owner, service string) harness.Pair {
	return f.serving.Server(o, service, service+"."+place+".svc")
}

// userManifest holds the service account of the measurements. It may read
// everything.
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

// register makes kube-apiserver proxy an API to a port of this machine. The
// Service is an external name: the measurement includes no cluster network.
func (f *front) register(o *harness.Owner, service, group, version string, port int) {
	authority, err := os.ReadFile(f.serving.CertFile)
	o.Check(err)
	f.kubectl.RunInput(o, fmt.Sprintf(`
apiVersion: v1
kind: Service
metadata: {name: %[1]s, namespace: %[2]s}
spec: {type: ExternalName, externalName: localhost}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: %[4]s.%[3]s}
spec:
  group: %[3]s
  version: %[4]s
  groupPriorityMinimum: 100
  versionPriority: 10
  caBundle: %[5]s
  service: {name: %[1]s, namespace: %[2]s, port: %[6]d}
`, service, place, group, version, base64.StdEncoding.EncodeToString(authority), port), "apply", "-f", "-")
}

// await requests a path until it is served and returns the answer.
func await(o *harness.Owner, c *client, path string) (answer []byte) {
	eventually.Holds(o, c.base+path+" is served", func(a *eventually.Attempt) {
		response, err := c.send(a.Context(), request{method: http.MethodGet, path: path})
		require.NoError(a, err)
		defer func() { _ = response.Body.Close() }()
		answer, err = io.ReadAll(response.Body)
		require.NoError(a, err)
	})
	return answer
}

// administrator returns an administrator's client of kube-apiserver.
func (f *front) administrator(o *harness.Owner) *client { return newClients(o, f.kube.Config(o), 1)[0] }

// client returns the service account's client of the server at the address.
func (f *front) client(o *harness.Owner, url string) *client {
	authority := f.serving.CertFile
	if url == f.kube.URL {
		authority = f.kube.ClientCA.CertFile
	}
	config := &rest.Config{Host: url, BearerToken: f.token, TLSClientConfig: rest.TLSClientConfig{CAFile: authority}}
	return newClients(o, config, 1)[0]
}

func (n nothing) url() string { return "https://127.0.0.1:" + strconv.Itoa(n.port) }
