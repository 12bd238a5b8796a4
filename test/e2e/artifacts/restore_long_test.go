//go:build long

package artifacts

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// TestOwnEtcdIsRestoredFromItsSnapshot takes a snapshot by the CronJob, loses objects, and
// restores it, as docs/backup.md says.
func TestOwnEtcdIsRestoredFromItsSnapshot(t *testing.T) {
	const kept, later = "made-before", "made-later"
	const resource = "prioritylevelconfigurations.v1beta3.flowcontrol.apiserver.k8s.io"
	c := cluster.Start(t, cluster.Options{Topology: cluster.OwnEtcd})
	kubectl := c.Kubectl(t)
	create := func(name string) {
		kubectl.RunInput(t, `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1beta3", "kind": "PriorityLevelConfiguration", "metadata": {"name": "`+name+`"},
			"spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 7, "limitResponse": {"type": "Reject"}}}}`, "create", "-f", "-")
	}
	create(kept)
	run(t, c, "docs/backup.md", "## Snapshots of own-etcd")
	create(later)
	kubectl.Run(t, "delete", resource, kept)

	// A snapshot that does not exist changes nothing: the members start again.
	root, err := binaries.Root()
	require.NoError(t, err)
	script := filepath.Join(root, "artifacts", "restore-etcd.sh")
	code, output := harness.RunScript(t, c.KubeAPIServer.Kubeconfig, script, "absent.db")
	require.NotZero(t, code)
	require.Contains(t, output, "the snapshot was not restored, and the members start as they were")
	c.Node.WaitReady(t, cluster.EtcdPods, 3)
	code, output = harness.RunScript(t, c.KubeAPIServer.Kubeconfig, script, "/snapshots/absent.db")
	require.NotZero(t, code)
	require.Contains(t, output, "/snapshots/absent.db is no name of a snapshot")

	run(t, c, "docs/backup.md", "## Restore own-etcd")
	c.Node.WaitReady(t, cluster.EtcdPods, 3)
	config := c.Config(t)
	eventually.Holds(t, "the objects equal the snapshot's", func(a *eventually.Attempt) {
		levels, err := fetch(a.Context(), config, basePath+"/prioritylevelconfigurations")
		require.NoError(a, err)
		require.Contains(a, levels, `"`+kept+`"`)
		require.NotContains(a, levels, `"`+later+`"`)
	})
	create(later) // a quorum takes writes
}
