//go:build !k8s0.34

// Releases of Kubernetes reword flags; docs/flags.md is of the one in go.mod.

package app

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFlagsDocumentIsCurrent(t *testing.T) {
	written := writeFlagsDocument()
	if *updateDocs {
		require.NoError(t, os.WriteFile(flagsDocument, []byte(written), 0o644))
	}
	shown, err := os.ReadFile(flagsDocument)
	require.NoError(t, err)
	require.Equal(t, string(shown), written, "docs/flags.md is not current: run 'make update-docs'")
}
