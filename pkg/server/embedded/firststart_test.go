package embedded

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// markFirstStart leaves the mark of an interrupted first start.
func markFirstStart(t *testing.T, path string) string {
	t.Helper()
	mark := filepath.Join(path, "etcd", "member", firstStartName)
	write(t, mark, firstStartContent)
	return mark
}

// Somebody copies a backup over the store of an interrupted first start.
func TestDataBesideTheMarkOfAFirstStartAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	fill(t, path)
	mark := markFirstStart(t, path)
	rejection := startChild(t, "serve", path).rejection()
	assert.Contains(t, rejection, "it holds data, although "+mark+" says that its first start was interrupted; remove that file to use the data")

	require.NoError(t, os.Remove(mark))
	got, err := newClient(t, startEtcd(t, openDirectory(t, path), logr.Discard())).Get(t.Context(), "key/99")
	require.NoError(t, err)
	assert.Len(t, got.Kvs, 1)
}

func TestAnEmptyStoreOfAnInterruptedFirstStartIsNotKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	dir := openDirectory(t, path)
	require.NoError(t, startEtcd(t, dir, logr.Discard()).Close(t.Context()))
	markFirstStart(t, path)
	left := filepath.Join(path, "etcd", "member", "snap", "left")
	write(t, left, "")

	startEtcd(t, dir, logr.Discard())
	assert.NoFileExists(t, left)
	assert.NoFileExists(t, filepath.Join(path, "etcd", "member", firstStartName))
}

// The pattern of a search for the log took brackets in the path for its own.
func TestDataInADirectoryWithBracketsAreFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data[1]")
	fill(t, path)
	got, err := newClient(t, startEtcd(t, openDirectory(t, path), logr.Discard())).Get(t.Context(), "key/99")
	require.NoError(t, err)
	assert.Len(t, got.Kvs, 1)
}
