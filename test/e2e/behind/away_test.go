package behind

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

const (
	// noEndpoints is the condition of an APIService while no pod is ready.
	noEndpoints = `MissingEndpoints: endpoints for service/flowcontrol-apiserver in "flowcontrol-system" have no addresses with port name "https"`
	// elsewhere is the name of a namespace that is deleted.
	elsewhere = "elsewhere"
)

// leave stops the server and waits until kube-apiserver has noticed. The returned
// function starts the server again; so does the end of the test.
func (s *site) leave(t *testing.T) (back func()) {
	t.Helper()
	release := s.Node.Hold(cluster.ServerPods)
	t.Cleanup(release)
	s.kill(t)
	for _, version := range s.ours {
		s.waitCondition(t, apiServices(), apiService(version), "Available", "False")
	}
	return func() {
		release()
		s.Servers(t, replicas)
		s.waitAvailable(t)
	}
}

// testAway stops the server. Deleting a namespace then deletes its contents. The
// namespace itself remains until every API of the cluster can be discovered again,
// as with any aggregated API. testAway calls meanwhile while the server is
// stopped.
func testAway(t *testing.T, s *site, meanwhile func(*testing.T, *site)) {
	s.kubectl.Run(t, "create", "namespace", elsewhere)
	s.kubectl.Run(t, "create", "configmap", "content", "-n", elsewhere)
	back := s.leave(t)

	for _, version := range s.ours {
		s.waitSays(t, version, noEndpoints)
		require.Equal(t, http.StatusServiceUnavailable, s.get(t, path(version, "")).Code)
	}
	s.waitStale(t)
	require.NoError(t, s.dynamic.Resource(namespaces()).Delete(t.Context(), elsewhere, metav1.DeleteOptions{}))
	message := s.waitCondition(t, namespaces(), elsewhere, "NamespaceDeletionDiscoveryFailure", "True")
	require.Contains(t, message, "stale GroupVersion discovery: "+group+"/"+s.ours[0])
	s.waitGone(t, configMaps(), elsewhere, "content")
	meanwhile(t, s)

	back()
	s.waitGone(t, namespaces(), "", elsewhere)
}

// waitStale waits until kube-apiserver has noticed that it cannot discover the
// versions of this server. It checks once a minute, and when an APIService
// changes.
func (s *site) waitStale(t *testing.T) {
	t.Helper()
	for _, version := range s.ours {
		_, err := s.dynamic.Resource(apiServices()).Patch(t.Context(), apiService(version), types.MergePatchType,
			[]byte(`{"metadata": {"annotations": {"test": "away"}}}`), metav1.PatchOptions{})
		require.NoError(t, err)
	}
	s.waitDiscovered(t, apidiscoveryv2.DiscoveryFreshnessStale)
}
