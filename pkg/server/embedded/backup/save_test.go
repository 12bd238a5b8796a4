package backup

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASnapshotHasWhatWasWrittenBefore(t *testing.T) {
	etcd := startFilled(t)
	etcd.put(t, prefix+"/flowschemas/gone", schemaNamed(t, "gone"))
	_, err := etcd.Delete(t.Context(), prefix+"/flowschemas/gone")
	require.NoError(t, err)
	revision := etcd.put(t, "compact_rev_key", "1")

	path := filepath.Join(t.TempDir(), "snapshot.db")
	saved, err := Save(t.Context(), etcd.Client, path, prefix)
	require.NoError(t, err)
	assert.Equal(t, path, saved.Path)
	assert.Equal(t, revision, saved.Revision)
	assert.Equal(t, map[string]int{"flowschemas": 1, "prioritylevelconfigurations": 1}, saved.Objects)
	assert.Equal(t, 1, saved.OtherKeys)
	assert.Equal(t, "revision 6, 1 flowschemas, 1 prioritylevelconfigurations, 1 other keys", saved.String())
	require.NoError(t, saved.Check())

	again, err := Verify(path, prefix)
	require.NoError(t, err)
	assert.Equal(t, saved, again)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode().Perm())
	assert.Equal(t, info.Size(), saved.Size)

	read, err := Read(t.Context(), etcd.Client, prefix)
	require.NoError(t, err)
	assert.Equal(t, saved.Contents, read, "etcd says the same as its snapshot")
}

func TestASnapshotOverwritesNoFile(t *testing.T) {
	etcd := startFilled(t)
	directory := t.TempDir()
	path := filepath.Join(directory, "snapshot.db")
	require.NoError(t, os.WriteFile(path, []byte("precious"), 0o600))
	_, err := Save(t.Context(), etcd.Client, path, prefix)
	require.ErrorContains(t, err, path+" exists, and a snapshot never overwrites a file")

	// A file that appears during the transfer.
	err = giveName(filepath.Join(directory, "snapshot.db"), path)
	require.ErrorContains(t, err, "exists")
	require.ErrorContains(t, rename(path, path), "exists")
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "precious", string(content))
	assert.Equal(t, []string{"snapshot.db"}, namesIn(t, directory))
}

func TestASnapshotThatCannotBeWrittenLeavesNoFile(t *testing.T) {
	etcd := startFilled(t)
	absent := filepath.Join(t.TempDir(), "absent", "snapshot.db")
	_, err := Save(t.Context(), etcd.Client, absent, prefix)
	require.ErrorContains(t, err, "create the directory, or choose another")

	directory := t.TempDir()
	printed := onAFullDisk(t, saveRole, etcd.path, filepath.Join(directory, "snapshot.db"))
	assert.Contains(t, printed, "snapshot cannot be written into "+directory)
	assert.Contains(t, printed, "file too large")
	assert.Contains(t, printed, "the disk is full; free space or choose another directory; no file was left")
	assert.Empty(t, namesIn(t, directory))
	assert.Equal(t, schemaNamed(t, "one"), etcd.get(t, prefix+"/flowschemas/one"))
}

func TestManyKeysAreReadInPages(t *testing.T) {
	etcd := startFilled(t)
	for i := range 2*pageKeys + 1 {
		etcd.put(t, fmt.Sprintf("%s/flowschemas/%d", prefix, i), "k8s:enc:aescbc:v1:key:secret")
	}
	saved := etcd.saved(t)
	read, err := Read(t.Context(), etcd.Client, prefix)
	require.NoError(t, err)
	assert.Equal(t, saved.Contents, read)
	assert.Equal(t, 2*pageKeys+2, read.Objects["flowschemas"])
	assert.Equal(t, 2*pageKeys+1, read.Encrypted)
}
