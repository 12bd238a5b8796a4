//go:build long

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheSameCommitGivesTheSameBytes builds the archives of one platform twice: in two
// folders, the second time with an empty build cache, as somebody who checks a release
// does. It takes half an hour on two slow processors.
func TestTheSameCommitGivesTheSameBytes(t *testing.T) {
	build := func(cache string) map[string]string {
		t.Helper()
		r := newRelease(t)
		clone := filepath.Join(t.TempDir(), "clone")
		_, err := output(t.Context(), r.root, "git", "clone", "--quiet", "--no-hardlinks", r.root, clone)
		require.NoError(t, err)
		r.root, r.platforms = clone, []string{"linux/amd64"}
		if cache != "" {
			t.Setenv("GOCACHE", cache)
		}
		_, err = r.writeArchives(t.Context())
		require.NoError(t, err)
		require.NoError(t, r.writeChecksums())
		files := map[string]string{}
		entries, err := os.ReadDir(r.dir)
		require.NoError(t, err)
		for _, entry := range entries {
			files[entry.Name()] = checksum([]byte(r.read(t, entry.Name())))
		}
		return files
	}
	first := build("")
	require.Len(t, first, 3, "an archive of each program, and the checksums")
	require.Equal(t, first, build(t.TempDir()))
}
