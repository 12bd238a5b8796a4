package behind

import (
	"context"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// restart is an order of restarting servers.
type restart struct {
	name string
	do   func(*testing.T, *site)
}

// restarts returns all orders; the first one restarts both servers.
func restarts() []restart {
	return []restart{
		{"both, kube-apiserver first", func(t *testing.T, s *site) {
			t.Helper()
			release := s.Node.Hold(cluster.ServerPods)
			s.kill(t)
			s.KubeAPIServer.Kill(t)
			s.launchKubeAPIServer()
			s.waitAnswering(t)
			release()
		}},
		{"both, this server first", func(t *testing.T, s *site) {
			t.Helper()
			s.KubeAPIServer.Kill(t)
			s.kill(t)
			s.waitLaunched(t)
			s.launchKubeAPIServer()
		}},
		{"kube-apiserver", func(t *testing.T, s *site) {
			t.Helper()
			s.restartKubeAPIServer(t)
		}},
		{"this server", func(t *testing.T, s *site) {
			t.Helper()
			s.kill(t)
		}},
	}
}

// testRestarts restarts both servers. After each start, kube-apiserver and this
// server both reconcile the built-in objects and the status. If no resourceVersion
// changes, neither server undoes the changes of the other.
func testRestarts(t *testing.T, s *site) {
	s.waitCondition(t, schemas("v1"), survivor, "Dangling", "False")
	orders := restarts()
	for _, restart := range lane.Pick(orders[:1], orders) {
		t.Run(restart.name, func(t *testing.T) {
			s.requireUnchanged(t, restart)
			for _, version := range []string{"v1", "v1beta3"} {
				s.waitWritable(t, version)
			}
		})
	}
}

// requireUnchanged requires that a restart changes no object. A server may repeat
// a write of another server once, after the versions were read. So one of a few
// restarts must change nothing.
func (s *site) requireUnchanged(t *testing.T, restart restart) {
	t.Helper()
	const rounds = 3
	for round := 1; ; round++ {
		before := s.waitVersions(t)
		restart.do(t, s)
		s.waitBoth(t)
		now := s.waitVersions(t)
		if round == rounds || maps.Equal(before, now) {
			require.Equal(t, before, now, "round %d", round)
			return
		}
		maps.DeleteFunc(before, func(name string, was version) bool { return now[name] == was })
		t.Logf("round %d: %v were written meanwhile", round, before)
	}
}

// waitBoth waits until both servers are ready and requests reach this server.
func (s *site) waitBoth(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	require.NoError(t, s.KubeAPIServer.WaitReady(ctx))
	s.Servers(t, replicas)
	s.waitAvailable(t)
}

// version identifies the state of an object.
type version struct {
	uid     types.UID
	version string
}

// waitVersions reads the versions of all objects, with retries: the aggregator may
// notice that all replicas were stopped only after they run again, and then
// answers 503 for a moment.
func (s *site) waitVersions(t *testing.T) (versions map[string]version) {
	t.Helper()
	eventually.Holds(t, "all objects are read", func(a *eventually.Attempt) {
		versions = map[string]version{}
		for _, resource := range []string{"flowschemas", "prioritylevelconfigurations"} {
			list, err := s.dynamic.Resource(schemas("v1").GroupVersion().WithResource(resource)).List(a.Context(), metav1.ListOptions{})
			require.NoError(a, err)
			for i := range list.Items {
				versions[resource+"/"+list.Items[i].GetName()] = version{list.Items[i].GetUID(), list.Items[i].GetResourceVersion()}
			}
		}
	})
	return versions
}

// waitWritable creates and deletes an object, with retries for the same reason.
func (s *site) waitWritable(t *testing.T, version string) {
	t.Helper()
	const name = "after"
	object := &unstructured.Unstructured{}
	require.NoError(t, object.UnmarshalJSON([]byte(manifest(version, name))))
	eventually.Holds(t, version+" can be written", func(a *eventually.Attempt) {
		_, err := s.dynamic.Resource(schemas(version)).Create(a.Context(), object, metav1.CreateOptions{})
		if !apierrors.IsAlreadyExists(err) { // by an earlier attempt whose answer was lost
			require.NoError(a, err)
		}
		require.NoError(a, s.dynamic.Resource(schemas(version)).Delete(a.Context(), name, metav1.DeleteOptions{}))
	})
}

// restartKubeAPIServer kills kube-apiserver and starts it again. A graceful stop
// would wait a minute for watches.
func (s *site) restartKubeAPIServer(t *testing.T) {
	t.Helper()
	s.KubeAPIServer.Kill(t)
	s.launchKubeAPIServer()
}

func (s *site) launchKubeAPIServer() {
	s.KubeAPIServer.Launch(s.owner)
	s.owner.Cleanup(func() { s.KubeAPIServer.Kill(s.owner) })
}

// kill ends the server's processes with SIGKILL.
func (s *site) kill(t *testing.T) {
	t.Helper()
	for _, pod := range s.Servers(t, replicas) {
		pod.Process().Kill(t)
	}
}

// waitAnswering waits until kube-apiserver answers, whether it is ready or not.
func (s *site) waitAnswering(t *testing.T) {
	t.Helper()
	s.waitOK(t, "/api/v1/namespaces/default")
}

// waitLaunched waits until the server's processes run again, whether ready or not.
func (s *site) waitLaunched(t *testing.T) {
	t.Helper()
	eventually.Holds(t, "the processes are started again", func(a *eventually.Attempt) {
		for _, pod := range s.Node.Pods(cluster.ServerPods) {
			select {
			case <-pod.Process().Done():
				require.Fail(a, pod.Name()+" is not")
			default:
			}
		}
	})
}
