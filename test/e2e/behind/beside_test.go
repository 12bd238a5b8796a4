package behind

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// TestOnTheStoreOfKubeAPIServer registers v1beta3 beside the native v1, and then
// moves v1 to this server and back. With a shared store, kube-apiserver's flow
// control reads the same objects before and after its watches move to this server.
func TestOnTheStoreOfKubeAPIServer(t *testing.T) {
	s := startShared(t, cluster.Options{})
	t.Run("v1beta3 beside the native v1", func(t *testing.T) {
		s.run(t, append([]theme{{"nothing is forbidden that the server does", testNothingForbidden}, {"the garbage collector of the cluster finishes deletions", testGarbageCollector}},
			append(everywhere(),
				theme{"while this server is away v1 goes on, and may go on without it", func(t *testing.T, s *site) { t.Helper(); testAway(t, s, nativeGoesOn) }},
			)...)...)
	})
	s.takeV1(t)
	t.Run("both versions taken over", func(t *testing.T) {
		s.run(t, append([]theme{{"kube-apiserver's own flow control is configured at once", testConfigured}, {"the garbage collector of the cluster finishes deletions", testGarbageCollector}},
			append(everywhere(),
				theme{"kube-apiserver reads its configuration here, and keeps what it last read", testKeeps},
				theme{"v1 is given back", testGivenBack},
			)...)...)
	})
}

// nativeGoesOn also deletes the registration, which unblocks the deletion of the
// namespace, and registers the server again.
func nativeGoesOn(t *testing.T, s *site) {
	t.Helper()
	s.kubectl.RunInput(t, manifest("v1", "meanwhile"), "apply", "-f", "-")
	s.waitCondition(t, schemas("v1"), "meanwhile", "Dangling", "False")

	require.NoError(t, s.dynamic.Resource(apiServices()).Delete(t.Context(), apiService("v1beta3"), metav1.DeleteOptions{}))
	s.waitGone(t, namespaces(), "", elsewhere)

	s.Apply(t, "registration/v1beta3") // its caBundle is empty
}
