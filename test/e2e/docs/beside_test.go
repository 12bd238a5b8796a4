package docs

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/eventually"
)

// levels is the resource of kube-apiserver's levels.
const levels = "prioritylevelconfigurations.v1.flowcontrol.apiserver.k8s.io"

// TestBesideTheNativeV1 tests the statements of docs/deploy.md about a server on
// kube-apiserver's etcd, in one cluster. The last test removes the server.
func TestBesideTheNativeV1(t *testing.T) {
	s := startSite(t)
	t.Run("Prometheus finds every replica, and each is up", func(t *testing.T) { testUp(t, s) })
	t.Run("requests show in the series of flow control", func(t *testing.T) { testLoad(t, s) })
	t.Run("every family is there", func(t *testing.T) { testFamilies(t, s) })
	t.Run("no sample is refused", func(t *testing.T) { testRefused(t, s) })
	t.Run("rolling back leaves the cluster as it was", func(t *testing.T) { testRollBack(t, s) })
}

func testRollBack(t *testing.T, s *site) {
	root, err := binaries.Root()
	require.NoError(t, err)
	artifact := func(path string) string { return filepath.Join(root, "artifacts", filepath.FromSlash(path)) }
	roles := []string{"get", "clusterroles,clusterrolebindings", "-l", "app.kubernetes.io/name=flowcontrol-apiserver", "-o", "name"}
	require.NotEmpty(t, s.kubectl.Run(t, roles...))
	s.kubectl.Run(t, "apply", "-f", artifact("examples/batch-jobs.yaml"))

	s.kubectl.Run(t, "delete", "apiservice", "v1beta3.flowcontrol.apiserver.k8s.io")
	// Pods stop slowly. The test requires only that nothing blocks the namespace.
	s.kubectl.Run(t, "delete", "-k", artifact("overlays/v1beta3-beside"), "--ignore-not-found", "--wait=false")
	s.awaitUnblocked(t)
	left := s.kubectl.Run(t, "get", levels+",flowschemas.v1.flowcontrol.apiserver.k8s.io", "-o", "name")
	require.Contains(t, left, "flowschema.flowcontrol.apiserver.k8s.io/batch-jobs")
	require.Contains(t, left, "prioritylevelconfiguration.flowcontrol.apiserver.k8s.io/exempt")
	require.NotContains(t, left, "/flowcontrol-apiserver")
	require.Empty(t, s.kubectl.Run(t, roles...))
}

// awaitUnblocked waits until the namespace controller reports that it discovered
// all resources, or the namespace is deleted.
func (s *site) awaitUnblocked(t *testing.T) {
	t.Helper()
	eventually.Holds(t, "nothing blocks the deletion of the namespace", func(a *eventually.Attempt) {
		namespace, err := s.Client.CoreV1().Namespaces().Get(a.Context(), cluster.Namespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return
		}
		require.NoError(a, err)
		failure := map[corev1.NamespaceConditionType]corev1.ConditionStatus{}
		for _, condition := range namespace.Status.Conditions {
			failure[condition.Type] = condition.Status
		}
		require.Equal(a, corev1.ConditionFalse, failure[corev1.NamespaceDeletionDiscoveryFailure], "%v", namespace.Status.Conditions)
	})
}
