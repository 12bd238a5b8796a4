//go:build long

package behind

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// TestAClusterComesBackUnattendedAfterAPowerCut kills everything at once, with v1
// registered for this server, and starts what kubelet starts by itself: etcd and
// kube-apiserver, and the static pod of guard-v1. While no replica comes back, kubelet
// restarts a kube-apiserver that does not become live.
func TestAClusterComesBackUnattendedAfterAPowerCut(t *testing.T) {
	s := startShared(t, cluster.Options{})
	s.takeV1(t)

	guard := s.startGuard(t)
	s.cutPower(t)
	s.waitBoth(t)
	s.waitServiceOfV1(t, "flowcontrol-apiserver") // the replicas came back in time
	guard.Stop(t)

	release := s.Node.Hold(cluster.ServerPods)
	t.Cleanup(release)
	s.kill(t)
	// kube-apiserver believes at its start what is stored.
	s.waitCondition(t, apiServices(), apiService("v1"), "Available", "False")
	s.cutServers(t)
	kubelet := s.newKubelet()
	kubelet.holds("kube-apiserver waits for v1", func(a *eventually.Attempt) {
		live := s.get(a, "/livez?verbose")
		require.Equal(a, http.StatusInternalServerError, live.Code)
		require.Contains(a, live.Body, "[-]autoregister-completion failed")
	})
	kubelet.holds("kubelet restarts it, in vain", func(a *eventually.Attempt) { require.Positive(a, kubelet.restarts) })
	s.startGuard(t, "--patience="+(time.Minute/kubeletPace).String(), "--interval=200ms")
	kubelet.waitReady() // without a replica
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

// cutPower kills all processes, and starts etcd and kube-apiserver again.
func (s *site) cutPower(t *testing.T) {
	t.Helper()
	s.kill(t)
	s.cutServers(t)
}

// cutServers is cutPower for etcd and kube-apiserver alone.
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
