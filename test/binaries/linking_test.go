package binaries

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServerIsLinkedAlikeWhereverItIsBuilt(t *testing.T) {
	root, err := Root()
	require.NoError(t, err)
	require.Equal(t, serverLinking(), serverProgram().ldflags)
	require.Equal(t, serverLinking(), peerProgram().ldflags, "or the comparison of flow controls compares links")
	for _, name := range []string{"Makefile", "Dockerfile"} {
		content, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.Contains(t, string(content), "-s -w "+strings.Join(serverLinking(), " "), name)
	}
}
