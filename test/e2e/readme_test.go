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

var updateDocs = tour.Flag()

// startAsInAClone starts a server as `make run` does, and returns a directory laid out
// like a fresh clone.
func startAsInAClone(t *testing.T) (clone string) {
	t.Helper()
	root, err := binaries.Root()
	require.NoError(t, err)
	harness.Program(t, binaries.Plugin)
	clone = harness.ShortDir(t)
	for _, folder := range []string{"artifacts", "docs"} {
		require.NoError(t, os.Symlink(filepath.Join(root, folder), filepath.Join(clone, folder)))
	}
	server := harness.StartServer(t, harness.ServerOptions{DataDir: filepath.Join(clone, ".flowcontrol-apiserver")})
	siteOf(t, server, nil).settle(t) // the first table shows the statuses that the engine writes after the start
	return clone
}

// TestReadmeTour runs the README's tour, and what it shows of the plug-in.
func TestReadmeTour(t *testing.T) {
	clone := startAsInAClone(t)
	kubeconfig := "KUBECONFIG=.flowcontrol-apiserver/admin.kubeconfig"
	tour.Run(t, tour.Section{Document: "README.md", Heading: "## Why was I throttled?", Dir: clone, Env: []string{kubeconfig}}, *updateDocs)
	tour.Run(t, tour.Section{Document: "README.md", Heading: "## Tour of five minutes", Dir: clone}, *updateDocs)
}
