package plugin

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
)

// TestSimulateTour runs the walk-through of docs/simulate.md. It needs no server: about
// 10 s.
func TestSimulateTour(t *testing.T) {
	harness.Program(t, binaries.Plugin)
	clone := harness.ShortDir(t)
	require.NoError(t, os.Symlink(harness.Path(t, "docs"), filepath.Join(clone, "docs")))
	tour.Run(t, tour.Section{Document: "docs/simulate.md", Heading: "## Walk-through", Dir: clone}, *updateDocs)
}
