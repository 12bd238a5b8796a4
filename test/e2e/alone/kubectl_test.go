package alone

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func testKubeconfig(t *testing.T, s *live) {
	info, err := os.Stat(s.Kubeconfig)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.Contains(t, s.Kubectl(t).Run(t, "get", "flowschemas"), "catch-all")
	require.Contains(t, s.Kubectl(t).Run(t, "version"), "Server Version: v1.33")
}
