package backup

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOldSnapshotsAreRemovedAndNoOtherFile(t *testing.T) {
	directory := Directory{Path: t.TempDir(), Prefix: prefix}
	at := time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC)
	touch := func(name string) string {
		path := filepath.Join(directory.Path, name)
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
		return path
	}
	others := []string{
		"flowcontrol-apiserver-20260131T040000Z-r00000000000000000001.db.copy", "flowcontrol-apiserver-today.db",
		"flowcontrol-apiserver-20261331T040000Z-r00000000000000000001.db", "mine.db",
	}
	for _, name := range others {
		touch(name)
	}
	require.NoError(t, os.Mkdir(filepath.Join(directory.Path, fileName(at, 3)), 0o700))
	first, second := touch(fileName(at, 10)), touch(fileName(at.Add(time.Hour), 20))
	// The clock was a year behind.
	third := touch(fileName(at.AddDate(-1, 0, 0), 30))

	files, err := directory.Files()
	require.NoError(t, err)
	assert.Equal(t, []string{first, second, third}, []string{files[0].Path, files[1].Path, files[2].Path})
	assert.Equal(t, File{Path: second, Time: at.Add(time.Hour), Revision: 20, Size: 1}, files[1])

	removed, err := directory.Prune(2, third)
	require.NoError(t, err)
	assert.Equal(t, []string{first}, removed)
	removed, err = directory.Prune(1, second)
	require.NoError(t, err)
	assert.Equal(t, []string{third}, removed, "the one to keep is not the last by revision")
	removed, err = directory.Prune(5, second)
	require.NoError(t, err)
	assert.Empty(t, removed)
	assert.Len(t, namesIn(t, directory.Path), len(others)+2)
}

func TestTakenSnapshotsHaveTimeAndRevisionInTheirNames(t *testing.T) {
	etcd := startFilled(t)
	directory := Directory{Path: filepath.Join(t.TempDir(), "new", "snapshots"), Prefix: prefix}
	files, err := directory.Files()
	require.NoError(t, err)
	assert.Empty(t, files, "the directory does not exist yet")
	require.NoError(t, directory.RemovePartial())

	now := time.Date(2026, 1, 31, 4, 0, 0, 0, time.FixedZone("east", 3600))
	snapshot, err := directory.Take(t.Context(), etcd.Client, now)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(directory.Path, "flowcontrol-apiserver-20260131T030000Z-r00000000000000000003.db"), snapshot.Path)
	_, err = directory.Take(t.Context(), etcd.Client, now)
	require.ErrorContains(t, err, "exists")

	require.NoError(t, os.WriteFile(filepath.Join(directory.Path, ".flowcontrol-apiserver-snapshot-1234.partial"), []byte("x"), 0o600))
	require.NoError(t, directory.RemovePartial())
	assert.Equal(t, []string{filepath.Base(snapshot.Path)}, namesIn(t, directory.Path))
}
