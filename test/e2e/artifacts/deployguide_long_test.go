//go:build long

package artifacts

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
)

const (
	// frozen is a level that admits nothing. Only v1 can express it.
	frozen = `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration", "metadata": {"name": "frozen"},
		"spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 0, "lendablePercent": 0, "limitResponse": {"type": "Reject"}}}}`
	madeHere = `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration", "metadata": {"name": "made-here"},
		"spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 7, "limitResponse": {"type": "Reject"}}}}`
)

func TestDeployGuide(t *testing.T) {
	c := cluster.Start(t, cluster.Options{})
	run(t, c, "docs/deploy.md", "## With an etcd of its own")
}

func TestMigrationGuide(t *testing.T) {
	c := cluster.Start(t, cluster.Options{})
	kubectl := c.Kubectl(t)
	kubectl.Run(t, "apply", "-f", harness.Path(t, "artifacts/examples/batch-jobs.yaml"))
	kubectl.RunInput(t, frozen, "create", "-f", "-")
	c.Apply(t, "overlays/own-etcd")
	c.MakeCertificates(t, "etcd")
	c.WaitRollout(t)
	c.Register(t, "v1beta3")
	c.Servers(t, 3)
	awaitBuiltIns(t, c)

	run(t, c, "docs/migration.md", "## From kube-apiserver to this server")
	require.Equal(t, "0", kubectl.Run(t, "get", levels, "frozen", "-o", "jsonpath={.spec.limited.nominalConcurrencyShares}"))
	kubectl.RunInput(t, madeHere, "create", "-f", "-")
	run(t, c, "docs/migration.md", "## From this server to kube-apiserver")
	require.Equal(t, "0", kubectl.Run(t, "get", levels, "frozen", "-o", "jsonpath={.spec.limited.nominalConcurrencyShares}"))
}

// run runs a section in a directory laid out like a fresh clone.
func run(t *testing.T, c *cluster.Cluster, document, heading string) {
	t.Helper()
	clone := harness.ShortDir(t)
	require.NoError(t, os.Symlink(harness.Path(t, "artifacts"), filepath.Join(clone, "artifacts")))
	tour.Run(t, tour.Section{
		Document: document, Heading: heading, Dir: clone, Env: []string{"KUBECONFIG=" + c.KubeAPIServer.Kubeconfig},
	}, *updateDocs)
}

// awaitBuiltIns waits until a new kube-apiserver has created its built-in objects.
// Otherwise the counts in the guide would vary.
func awaitBuiltIns(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	eventually.Holds(t, "kube-apiserver has its built-in objects", func(a *eventually.Attempt) {
		levels, err := c.Client.FlowcontrolV1().PriorityLevelConfigurations().List(a.Context(), metav1.ListOptions{})
		require.NoError(a, err)
		var names []string
		for i := range levels.Items {
			names = append(names, levels.Items[i].Name)
		}
		require.Subset(a, names, []string{"exempt", "catch-all", "global-default", "workload-low", "workload-high", "system", "node-high", "leader-election"})
		// kube-apiserver creates the mandatory schemas last.
		for _, name := range []string{"exempt", "catch-all"} {
			_, err := c.Client.FlowcontrolV1().FlowSchemas().Get(a.Context(), name, metav1.GetOptions{})
			require.NoError(a, err)
		}
	})
}
