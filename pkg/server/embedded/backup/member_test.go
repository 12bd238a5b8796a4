package backup

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

const initialCluster = "etcd-0=http://etcd-0:2380,etcd-1=http://etcd-1:2380"

func memberOptions(snapshot, dataDir string) MemberOptions {
	return MemberOptions{
		Snapshot: snapshot, DataDir: dataDir, Prefix: prefix, Name: "etcd-0", InitialCluster: initialCluster, ClusterToken: "token",
		Time: time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC), Log: logr.Discard(),
	}
}

// saved returns the path of a snapshot of a store with two objects.
func saved(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "snapshot.db")
	_, err := Save(t.Context(), startFilled(t).Client, path, prefix)
	require.NoError(t, err)
	return path
}

func TestRestoredMemberHoldsTheSnapshotAndKeepsWhatWasThere(t *testing.T) {
	snapshot, dataDir := saved(t), filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.MkdirAll(dataDir+restoringSuffix, 0o700))
	interrupted := filepath.Join(dataDir+restoringSuffix, "interrupted")
	require.NoError(t, os.WriteFile(interrupted, nil, 0o600))
	first, err := RestoreMember(t.Context(), memberOptions(snapshot, dataDir))
	require.NoError(t, err)
	assert.Empty(t, first.SetAside)
	assert.NoFileExists(t, interrupted)
	assert.NoFileExists(t, filepath.Join(dataDir, "interrupted"))

	values, revision := read(t, databaseOf(dataDir))
	assert.Len(t, values, 2)
	assert.GreaterOrEqual(t, revision, first.Revision)

	again := memberOptions(snapshot, dataDir)
	again.Time = again.Time.Add(time.Second)
	second, err := RestoreMember(t.Context(), again)
	require.NoError(t, err)
	assert.Equal(t, dataDir+".set-aside-1", second.SetAside)
	assert.Greater(t, second.Revision, first.Revision)
	_, aside := read(t, databaseOf(second.SetAside))
	assert.Equal(t, revision, aside)
}

// TestMembersAreRestoredToTheSameRevision: otherwise their data would differ.
func TestMembersAreRestoredToTheSameRevision(t *testing.T) {
	snapshot := saved(t)
	var revisions []int64
	for _, name := range []string{"etcd-0", "etcd-1"} {
		options := memberOptions(snapshot, filepath.Join(t.TempDir(), "data"))
		options.Name = name
		_, err := RestoreMember(t.Context(), options)
		require.NoError(t, err)
		_, revision := read(t, databaseOf(options.DataDir))
		revisions = append(revisions, revision)
	}
	assert.Equal(t, revisions[0], revisions[1])
}

func TestMemberIsRestoredOnlyWhileItIsStoppedAndFromASnapshotOfItsServer(t *testing.T) {
	snapshot := saved(t)
	running := start(t, filepath.Join(t.TempDir(), "running"))
	text := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(text, []byte("not a snapshot of anything at all\n"), 0o600))
	for name, test := range map[string]struct {
		change func(*MemberOptions)
		says   string
	}{
		"etcd runs on the directory":       {func(o *MemberOptions) { o.DataDir = filepath.Join(running.path, "etcd") }, "stop all members first; nothing is changed"},
		"the cluster has no such member":   {func(o *MemberOptions) { o.Name = "etcd-2" }, "initial cluster has no member etcd-2: its members are etcd-0, etcd-1"},
		"the cluster is no list":           {func(o *MemberOptions) { o.InitialCluster = "etcd-0" }, "list the members as NAME=URL"},
		"the file is no snapshot":          {func(o *MemberOptions) { o.Snapshot = text }, text + " is not a snapshot of etcd"},
		"the snapshot is of other objects": {func(o *MemberOptions) { o.Prefix = "/other" }, "is not of a server of flow control"},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			options := memberOptions(snapshot, filepath.Join(parent, "data"))
			test.change(&options)
			_, err := RestoreMember(t.Context(), options)
			require.ErrorContains(t, err, test.says)
			assert.NotContains(t, err.Error(), "\n")
			left, err := os.ReadDir(parent)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
	require.NoDirExists(t, filepath.Join(running.path, "etcd.set-aside-1"))
}

// read returns the keys in a database, and its revision.
func read(t *testing.T, path string) (values map[string][]byte, revision int64) {
	t.Helper()
	require.NoError(t, embedded.ViewDatabase(path, func(tx *bolt.Tx) (err error) {
		values, revision, err = currentValues(tx)
		return err
	}))
	return values, revision
}
