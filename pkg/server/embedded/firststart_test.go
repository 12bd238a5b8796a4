package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// markFirstStart leaves the marker of an interrupted first start.
func markFirstStart(t *testing.T, path string) {
	t.Helper()
	write(t, filepath.Join(path, "etcd", firstStartName), firstStartContent)
}

func TestDataRestoredAfterAnInterruptedFirstStartAreUsed(t *testing.T) {
	tests := map[string]func(t *testing.T, member string){
		"with its database and its log": func(*testing.T, string) {},
		"with data only in the log": func(t *testing.T, member string) {
			require.NoError(t, os.Remove(filepath.Join(member, "snap", "db")))
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data")
			fill(t, path)
			change(t, filepath.Join(path, "etcd", "member"))
			markFirstStart(t, path)

			log := &recorder{}
			etcd := startEtcd(t, openDirectory(t, path), log.logger(0))
			got, err := newClient(t, etcd).Get(t.Context(), "key/99")
			require.NoError(t, err)
			assert.Len(t, got.Kvs, 1)
			assert.Contains(t, strings.Join(log.taken(), "\n"), "the store holds data; using them")
			assert.NoFileExists(t, filepath.Join(path, "etcd", firstStartName))
		})
	}
}

func TestAStoreThatNobodyCanReadIsSetAsideByAFirstStart(t *testing.T) {
	tests := map[string]func(t *testing.T, member string){
		"a database of rubbish": func(t *testing.T, member string) { overwrite(t, filepath.Join(member, "snap", "db"), 0) },
		"a log of rubbish without a database": func(t *testing.T, member string) {
			require.NoError(t, os.Remove(filepath.Join(member, "snap", "db")))
			overwrite(t, firstLog(member), 0)
		},
		"files that etcd does not make": func(t *testing.T, member string) {
			require.NoError(t, os.RemoveAll(member))
			require.NoError(t, os.MkdirAll(filepath.Join(member, "snap"), 0o700))
			write(t, filepath.Join(member, "snap", "0000000000000002-0000000000000005.snap"), "a snapshot")
		},
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data")
			fill(t, path)
			member := filepath.Join(path, "etcd", "member")
			spoil(t, member)
			markFirstStart(t, path)
			write(t, filepath.Join(path, "etcd", "member.set-aside-1"), "of an earlier start")
			before := tree(t, member)

			log := &recorder{}
			startEtcd(t, openDirectory(t, path), log.logger(0))
			assert.Equal(t, before, tree(t, filepath.Join(path, "etcd", "member.set-aside-2")))
			assert.Contains(t, strings.Join(log.taken(), "\n"), "Set a store aside")
			assert.Equal(t, "of an earlier start", read(t, filepath.Join(path, "etcd", "member.set-aside-1")))
		})
	}
}

func TestAnEmptyStoreOfAnInterruptedFirstStartIsNotKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	dir := openDirectory(t, path)
	etcd := startEtcd(t, dir, logr.Discard())
	require.NoError(t, etcd.Close(t.Context()))
	markFirstStart(t, path)

	startEtcd(t, dir, logr.Discard())
	entries, err := os.ReadDir(filepath.Join(path, "etcd"))
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	assert.Equal(t, []string{socketName, "member"}, names)
}

func TestDataInADirectoryWithBracketsAreFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data[1]")
	fill(t, path)
	state, reason := inspectStore(filepath.Join(path, "etcd", "member"))
	assert.Equal(t, storeFilled, state)
	require.NoError(t, reason)

	etcd := startEtcd(t, openDirectory(t, path), logr.Discard())
	got, err := newClient(t, etcd).Get(t.Context(), "key/99")
	require.NoError(t, err)
	assert.Len(t, got.Kvs, 1)
}

// tree returns the contents of the files below a directory.
func tree(t *testing.T, directory string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(directory, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(directory, path)
		files[name] = read(t, path)
		return err
	}))
	return files
}
