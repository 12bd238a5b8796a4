// Package docs tests the guides in docs/: their commands are run on a real
// kube-apiserver, and print what the guides show.
package docs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
)

var updateDocs = tour.Flag()

const (
	levels = "prioritylevelconfigurations.v1.flowcontrol.apiserver.k8s.io"
	// frozen is a level that admits nothing, which only v1 can say.
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
	root, err := binaries.Root()
	require.NoError(t, err)
	kubectl.Run(t, "apply", "-f", filepath.Join(root, "artifacts", "examples", "batch-jobs.yaml"))
	kubectl.RunInput(t, frozen, "create", "-f", "-")
	c.Apply(t, "overlays/own-etcd")
	c.MakeCertificates(t, "--etcd")
	c.WaitRollout(t)
	c.WaitAPIService(t, "v1beta3.flowcontrol.apiserver.k8s.io")
	c.Servers(t, 3)
	awaitBuiltIns(t, kubectl)

	run(t, c, "docs/migration.md", "## From kube-apiserver to this server")
	require.Equal(t, "0", kubectl.Run(t, "get", levels, "frozen", "-o", "jsonpath={.spec.limited.nominalConcurrencyShares}"))
	kubectl.RunInput(t, madeHere, "create", "-f", "-")
	run(t, c, "docs/migration.md", "## From this server to kube-apiserver")
	require.Equal(t, "0", kubectl.Run(t, "get", levels, "frozen", "-o", "jsonpath={.spec.limited.nominalConcurrencyShares}"))
}

// TestTheWayBackFromBesideLeavesTheClusterAsItWas does what docs/deploy.md says in
// its section on one etcd.
func TestTheWayBackFromBesideLeavesTheClusterAsItWas(t *testing.T) {
	c := cluster.StartBeside(t, cluster.Options{})
	kubectl := c.Kubectl(t)
	root, err := binaries.Root()
	require.NoError(t, err)
	artifact := func(path string) string { return filepath.Join(root, "artifacts", filepath.FromSlash(path)) }
	roles := []string{"get", "clusterroles,clusterrolebindings", "-l", "app.kubernetes.io/name=flowcontrol-apiserver", "-o", "name"}
	require.NotEmpty(t, kubectl.Run(t, roles...))
	kubectl.Run(t, "apply", "-f", artifact("examples/batch-jobs.yaml"))

	kubectl.Run(t, "delete", "apiservice", "v1beta3.flowcontrol.apiserver.k8s.io")
	// Its pods take their time; what matters is that nothing blocks the namespace.
	kubectl.Run(t, "delete", "-k", artifact("overlays/v1beta3-beside"), "--ignore-not-found", "--wait=false")
	awaitUnblocked(t, kubectl)
	left := kubectl.Run(t, "get", levels+",flowschemas.v1.flowcontrol.apiserver.k8s.io", "-o", "name")
	require.Contains(t, left, "flowschema.flowcontrol.apiserver.k8s.io/batch-jobs")
	require.Contains(t, left, "prioritylevelconfiguration.flowcontrol.apiserver.k8s.io/exempt")
	require.NotContains(t, left, "/flowcontrol-apiserver")
	require.Empty(t, kubectl.Run(t, roles...))
}

// run runs a section in a directory that looks like a fresh clone.
func run(t *testing.T, c *cluster.Cluster, document, heading string) {
	t.Helper()
	root, err := binaries.Root()
	require.NoError(t, err)
	clone := harness.ShortDir(t)
	require.NoError(t, os.Symlink(filepath.Join(root, "artifacts"), filepath.Join(clone, "artifacts")))
	tour.Run(t, tour.Section{
		Document: document, Heading: heading, Dir: clone, Env: []string{"KUBECONFIG=" + c.KubeAPIServer.Kubeconfig},
	}, *updateDocs)
}

// awaitBuiltIns waits until a kube-apiserver that was started a moment ago has
// made its built-in objects, so that the guide counts the same each time.
func awaitBuiltIns(t *testing.T, kubectl *harness.Kubectl) {
	t.Helper()
	cluster.Eventually(t, "kube-apiserver has its built-in objects", func(context.Context) error {
		for _, name := range []string{"exempt", "catch-all", "global-default", "workload-low", "workload-high", "system", "node-high", "leader-election"} {
			if result := kubectl.Try(t, "", "get", levels, name); result.ExitCode != 0 {
				return fmt.Errorf("%s", result.Stderr)
			}
		}
		return nil
	})
}

// awaitUnblocked waits until the namespace's controller says that it found all
// there is in it; or the namespace is gone, if that was quicker than this look.
func awaitUnblocked(t *testing.T, kubectl *harness.Kubectl) {
	t.Helper()
	const failure = `jsonpath={.status.conditions[?(@.type=="NamespaceDeletionDiscoveryFailure")].status}`
	cluster.Eventually(t, "nothing blocks the deletion of the namespace", func(context.Context) error {
		result := kubectl.Try(t, "", "get", "namespace", cluster.Namespace, "-o", failure)
		if result.Stdout == "False" || strings.Contains(result.Stderr, "(NotFound)") {
			return nil
		}
		return fmt.Errorf("%s: %s%s", failure, result.Stdout, result.Stderr)
	})
}
