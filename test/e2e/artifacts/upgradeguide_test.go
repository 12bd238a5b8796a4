package artifacts

import (
	"path/filepath"
	"testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
)

// TestUpgradeGuide runs the commands of docs/upgrade.md, with a restart of the server as
// the upgrade.
func TestUpgradeGuide(t *testing.T) {
	t.Parallel()
	dir := harness.ShortDir(t)
	harness.Program(t, binaries.Plugin)
	data := filepath.Join(dir, ".flowcontrol-apiserver")
	old := harness.StartServer(t, harness.ServerOptions{DataDir: data})
	old.Settle(t)
	section := func(heading string) tour.Section {
		return tour.Section{Document: "docs/upgrade.md", Heading: heading, Dir: dir, Env: []string{"KUBECONFIG=.flowcontrol-apiserver/admin.kubeconfig"}}
	}
	tour.Run(t, section("### Before"), *updateDocs)
	old.Stop(t)
	harness.StartServer(t, harness.ServerOptions{DataDir: data})
	tour.Run(t, section("### After"), *updateDocs)
	tour.Run(t, section("### Back"), *updateDocs)
}

// TestTroubleshootingGuide runs the commands of docs/troubleshooting.md.
func TestTroubleshootingGuide(t *testing.T) {
	t.Parallel()
	dir := tour.StartAsInAClone(t)
	tour.Run(t, tour.Section{
		Document: "docs/troubleshooting.md", Heading: "## First look", Dir: dir, Env: []string{"KUBECONFIG=.flowcontrol-apiserver/admin.kubeconfig"},
	}, *updateDocs)
}
