package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
)

// TestPluginTour runs the tour of docs/kubectl-apf.md as TestReadmeTour does that of the
// README.
func TestPluginTour(t *testing.T) {
	root, err := binaries.Root()
	require.NoError(t, err)
	harness.Program(t, binaries.Plugin)
	clone := harness.ShortDir(t)
	require.NoError(t, os.Symlink(filepath.Join(root, "artifacts"), filepath.Join(clone, "artifacts")))
	server := harness.StartServer(t, harness.ServerOptions{DataDir: filepath.Join(clone, ".flowcontrol-apiserver")})
	siteOf(t, server, nil).settle(t)
	tour.Run(t, tour.Section{Document: "docs/kubectl-apf.md", Heading: "## Tour", Dir: clone}, *updateDocs)
}
