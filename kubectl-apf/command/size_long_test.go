//go:build long

package command

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateDocs = flag.Bool("update-docs", false, "write what the sample of 5,000 nodes needs")

// What docs/samples/5000-nodes.txt shows is what the command says.
func TestSizeOf5000Nodes(t *testing.T) {
	samples := filepath.Join("..", "..", "docs", "samples")
	got := run(t, "size", "--scenario="+filepath.Join(samples, "5000-nodes.yaml"), "--release=1.33", "--engine=ours", "--quiet")
	require.Zero(t, got.status, got.errOut)
	shown := filepath.Join(samples, "5000-nodes.txt")
	if *updateDocs {
		require.NoError(t, os.WriteFile(shown, []byte(got.out), 0o644)) //nolint:gosec // a document
		return
	}
	want, err := os.ReadFile(shown)
	require.NoError(t, err)
	assert.Equal(t, string(want), got.out, "go test -tags=long ./command -run=TestSizeOf5000Nodes -update-docs writes it")
}
