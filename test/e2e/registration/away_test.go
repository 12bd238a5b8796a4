package registration

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// noEndpoints is what an APIService says while no pod is ready.
const noEndpoints = `MissingEndpoints: endpoints for service/flowcontrol-apiserver in "flowcontrol-system" have no addresses with port name "https"`

// leave takes the server away and waits until kube-apiserver has noticed. What
// is returned brings it back; the end of the test does too.
func (s *site) leave(t *testing.T) (back func()) {
	t.Helper()
	release := s.Node.Hold(cluster.ServerPods)
	t.Cleanup(release)
	s.kill(t)
	for _, version := range s.ours {
		s.wait(t, "apiservice", apiService(version), "--for=condition=Available=False")
	}
	return func() {
		release()
		s.Servers(t, replicas)
		s.waitAvailable(t)
	}
}

// testAway takes the server away. Deleting a namespace then deletes all that is
// in it, but the namespace itself remains until every API of the cluster can be
// discovered again, as with any aggregated API.
func testAway(t *testing.T, s *site) {
	s.kubectl.Run(t, "create", "namespace", "elsewhere")
	s.kubectl.Run(t, "create", "configmap", "content", "-n", "elsewhere")
	back := s.leave(t)

	for _, version := range s.ours {
		s.waitSays(t, version, noEndpoints)
		require.Equal(t, http.StatusServiceUnavailable, s.get(t, path(version, "")).code)
	}
	s.waitStale(t)
	s.kubectl.Run(t, "delete", "namespace", "elsewhere", "--wait=false")
	s.wait(t, "namespace/elsewhere", "--for=condition=NamespaceDeletionDiscoveryFailure")
	require.Contains(t, s.kubectl.Run(t, "get", "namespace", "elsewhere", "-o", "jsonpath={.status.conditions}"), "stale GroupVersion discovery: "+group+"/"+s.ours[0])
	s.wait(t, "configmap/content", "-n", "elsewhere", "--for=delete")

	back()
	s.wait(t, "namespace/elsewhere", "--for=delete")
}

// waitSays waits until the APIService of a version gives the reason for which it
// is available, or is not. While the last pod is on its way out, it is another.
func (s *site) waitSays(t *testing.T, version, reason string) {
	t.Helper()
	cluster.Eventually(t, "the APIService says why", func(context.Context) error {
		said := s.kubectl.Try(t, "", "get", "apiservice", apiService(version),
			"-o", `jsonpath={range .status.conditions[?(@.type=="Available")]}{.reason}: {.message}{end}`)
		if said.Stdout != reason {
			return errors.New(said.Stdout + said.Stderr)
		}
		return nil
	})
}

// waitStale waits until kube-apiserver has noticed that it cannot discover our
// versions. It looks once a minute, or when an APIService changes.
func (s *site) waitStale(t *testing.T) {
	t.Helper()
	for _, version := range s.ours {
		s.kubectl.Run(t, "annotate", "apiservice", apiService(version), "test=away", "--overwrite")
	}
	s.waitDiscovered(t, apidiscoveryv2.DiscoveryFreshnessStale)
}
