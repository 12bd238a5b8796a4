//go:build long

package behind

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// TestAClusterComesBackUnattendedAfterAPowerCut kills everything at once, with v1
// registered for this server, and starts what kubelet starts by itself: etcd and
// kube-apiserver, and the static pod of guard-v1.
func TestAClusterComesBackUnattendedAfterAPowerCut(t *testing.T) {
	s := startShared(t, cluster.Options{})
	s.takeV1(t)

	guard := s.startGuard(t)
	s.kill(t)
	s.cutServers(t)
	s.waitBoth(t)
	s.waitServiceOfV1(t, "flowcontrol-apiserver") // the replicas recovered in time
	guard.Stop(t)

	release := s.Node.Hold(cluster.ServerPods)
	t.Cleanup(release)
	s.kill(t)
	// kube-apiserver believes on startup what is stored.
	s.waitCondition(t, apiServices(), apiService("v1"), "Available", "False")
	s.cutServers(t)
	eventually.Holds(t, "kube-apiserver waits for v1", func(a *eventually.Attempt) {
		live := s.get(a, "/livez?verbose")
		require.Equal(a, http.StatusInternalServerError, live.Code)
		require.Contains(a, live.Body, "[-]autoregister-completion failed")
	})
	s.startGuard(t, "--patience=10s", "--interval=200ms")
	s.waitOK(t, "/readyz") // without a replica
	s.waitServiceOfV1(t, "")
	s.waitOK(t, path("v1", survivor))

	// As a guard or a kubectl leaves it that ends after its deletion.
	s.kubectl.Run(t, "delete", "apiservice", apiService("v1"))
	s.waitServiceOfV1(t, "")
	s.waitOK(t, path("v1", survivor))

	release()
	s.Servers(t, replicas)
	s.Register(t, "v1")
	s.waitAvailable(t)
}

// startGuard runs the guard as its static pod does.
func (s *site) startGuard(t *testing.T, flags ...string) *harness.Process {
	t.Helper()
	args := append([]string{"guard-v1", "--kubeconfig=" + s.KubeAPIServer.Kubeconfig}, flags...)
	return harness.StartProcess(t, harness.Command{Path: harness.Program(t, binaries.Server), Args: args})
}

// cutServers kills etcd and kube-apiserver, and starts them again.
func (s *site) cutServers(t *testing.T) {
	t.Helper()
	s.KubeAPIServer.Kill(t)
	s.Etcd.Kill(t)
	s.Etcd.Start(s.owner)
	s.launchKubeAPIServer()
	s.waitAnswering(t)
}

// waitServiceOfV1 waits until v1 is registered for a Service, or for kube-apiserver itself.
func (s *site) waitServiceOfV1(t *testing.T, service string) {
	t.Helper()
	eventually.Holds(t, "v1 is registered for "+service, func(a *eventually.Attempt) {
		reply := s.get(a, "/apis/apiregistration.k8s.io/v1/apiservices/"+apiService("v1"))
		require.Equal(a, http.StatusOK, reply.Code, reply.Body)
		var registered struct {
			Spec struct{ Service *struct{ Name string } }
		}
		decode(a, reply, &registered)
		if service == "" {
			require.Nil(a, registered.Spec.Service)
			return
		}
		require.NotNil(a, registered.Spec.Service)
		require.Equal(a, service, registered.Spec.Service.Name)
	})
}
