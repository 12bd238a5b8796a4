package artifacts

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// levels is the resource of kube-apiserver's levels.
const levels = "prioritylevelconfigurations.v1.flowcontrol.apiserver.k8s.io"

// TestRollBack tests the statements of docs/deploy.md about removing a server that
// stands beside kube-apiserver's v1: the cluster is as it was.
func TestRollBack(t *testing.T) {
	c := cluster.Start(t, cluster.Options{Topology: cluster.Beside})
	kubectl := c.Kubectl(t)
	roles := []string{"get", "clusterroles,clusterrolebindings", "-l", "app.kubernetes.io/name=flowcontrol-apiserver", "-o", "name"}
	require.NotEmpty(t, kubectl.Run(t, roles...))
	kubectl.Run(t, "apply", "-f", folder(t, "examples/batch-jobs.yaml"))

	kubectl.Run(t, "delete", "apiservice", "v1beta3.flowcontrol.apiserver.k8s.io")
	// Pods stop slowly. The test requires only that nothing blocks the namespace.
	kubectl.Run(t, "delete", "-k", folder(t, "overlays/v1beta3-beside"), "--ignore-not-found", "--wait=false")
	awaitUnblocked(t, c)
	left := kubectl.Run(t, "get", levels+",flowschemas.v1.flowcontrol.apiserver.k8s.io", "-o", "name")
	require.Contains(t, left, "flowschema.flowcontrol.apiserver.k8s.io/batch-jobs")
	require.Contains(t, left, "prioritylevelconfiguration.flowcontrol.apiserver.k8s.io/exempt")
	require.NotContains(t, left, "/flowcontrol-apiserver")
	require.Empty(t, kubectl.Run(t, roles...))
}

// awaitUnblocked waits until the namespace controller reports that it discovered
// all resources, or the namespace is deleted.
func awaitUnblocked(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	eventually.Holds(t, "nothing blocks the deletion of the namespace", func(a *eventually.Attempt) {
		namespace, err := c.Client.CoreV1().Namespaces().Get(a.Context(), cluster.Namespace, metav1.GetOptions{})
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
