//go:build long

package api

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestThroughKubeAPIServer runs the cases on two processes of this server, in both
// versions if a case names them. Requests reach one directly, and the other
// through a kube-apiserver, as an aggregated API.
func TestThroughKubeAPIServer(t *testing.T) {
	t.Parallel()
	checkDifferences(t, aggregatorDifferences(), startAggregated(t).leadAll(t, notPassedOn()))
}

// startAggregated starts two processes of this server on etcds with the same
// content. The second is registered with a kube-apiserver that does not serve the
// group, and delegates authentication and authorization to it.
func startAggregated(t *testing.T) *pair {
	t.Helper()
	owner := &quiet{T: t}
	kube := harness.StartKubeAPIServer(owner, harness.KubeAPIServerOptions{
		Etcd: harness.StartEtcd(owner, harness.EtcdOptions{}),
		Args: []string{"--enable-priority-and-fairness=false", "--runtime-config=flowcontrol.apiserver.k8s.io/v1=false"},
	})
	p := &pair{ours: &side{name: "directly"}, peer: &side{name: "through kube-apiserver"}, same: true, differences: aggregatorDifferences()}
	var servers []*harness.Server
	var port int
	for s, flags := range map[*side][]string{p.ours: nil, p.peer: {"--kubeconfig=" + kube.Kubeconfig}} {
		server := harness.StartServer(owner, harness.ServerOptions{
			Etcd: harness.StartEtcd(owner, harness.EtcdOptions{}), Args: slices.Concat(still(), flags, []string{"--etcd-prefix=/registry"}),
		})
		s.etcd = server.Store(t)
		servers = append(servers, server)
		if s == p.ours {
			s.connect(t, server.URL, server.Config(t))
			continue
		}
		port = server.Port
	}
	p.original = p.ours.stored(t)
	p.restore(t)
	startAgain(owner, servers...)
	p.peer.connect(t, kube.URL, kube.Config(t))
	kube.Kubectl(t).RunInput(t, registration(port), "apply", "-f", "-")
	eventually.Holds(t, "kube-apiserver passes requests on", func(a *eventually.Attempt) {
		for _, path := range []string{v1Path, v1beta3Path} {
			response, err := p.peer.open(a.Context(), http.MethodGet, path+"flowschemas", "", nil)
			require.NoError(a, err)
			require.NoError(a, response.Body.Close())
			require.Equal(a, http.StatusOK, response.StatusCode)
		}
	})
	owner.started = true
	return p
}

// registration returns the Service and APIServices that route both versions to a
// server on this machine.
func registration(port int) string {
	text := "apiVersion: v1\nkind: Service\nmetadata: {name: flowcontrol, namespace: default}\nspec: {type: ExternalName, externalName: localhost}\n"
	for _, version := range []string{"v1", "v1beta3"} {
		text += fmt.Sprintf("---\napiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: %[1]s.flowcontrol.apiserver.k8s.io}\n"+
			"spec: {group: flowcontrol.apiserver.k8s.io, version: %[1]s, groupPriorityMinimum: 1000, versionPriority: 15, insecureSkipTLSVerify: true,\n"+
			"  service: {name: flowcontrol, namespace: default, port: %[2]d}}\n", version, port)
	}
	return text
}
