package backup

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

func TestARestoredStoreHoldsTheSnapshotAndNothingLater(t *testing.T) {
	etcd := startFilled(t)
	snapshot := etcd.saved(t)
	etcd.put(t, prefix+"/flowschemas/later", schemaNamed(t, "later"))

	path := filepath.Join(t.TempDir(), "new")
	restored, err := Restore(t.Context(), restoreOptions(snapshot.Path, path))
	require.NoError(t, err)
	assert.Equal(t, snapshot, restored.Snapshot)
	assert.Empty(t, restored.Certificates)
	assert.ElementsMatch(t, []string{"etcd", "flowcontrol-apiserver.lock"}, namesIn(t, path))

	fresh := start(t, path)
	contents, err := Read(t.Context(), fresh.Client, prefix)
	require.NoError(t, err)
	assert.Equal(t, snapshot.digest, contents.digest)
	assert.Equal(t, schemaNamed(t, "one"), fresh.get(t, prefix+"/flowschemas/one"))
	fresh.put(t, prefix+"/flowschemas/new", schemaNamed(t, "new"))
}

// A client with a resourceVersion of before must not miss changes: its watch ends and
// it lists again.
func TestOldRevisionsAreCompactedAfterARestore(t *testing.T) {
	etcd := startFilled(t)
	snapshot := etcd.saved(t)
	seen := etcd.put(t, prefix+"/flowschemas/later", schemaNamed(t, "later"))
	path := filepath.Join(t.TempDir(), "new")
	restored, err := Restore(t.Context(), restoreOptions(snapshot.Path, path))
	require.NoError(t, err)

	fresh := start(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, revision := range []int64{1, snapshot.Revision, seen, restored.Revision - 1} {
		event := <-fresh.Watch(ctx, prefix, clientv3.WithPrefix(), clientv3.WithRev(revision))
		require.ErrorIs(t, event.Err(), rpctypes.ErrCompacted, "watch from revision %d", revision)
	}
	assert.Greater(t, fresh.put(t, "key", "value"), seen)
}

func TestEachRestoreContinuesAtAHigherRevision(t *testing.T) {
	snapshot := startFilled(t).saved(t)
	now := time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC)
	last := snapshot.Revision
	restore := func(path string) *Restored {
		now = now.Add(time.Second)
		options := restoreOptions(path, filepath.Join(t.TempDir(), "new"))
		options.Now = func() time.Time { return now }
		restored, err := Restore(t.Context(), options)
		require.NoError(t, err)
		assert.Greater(t, restored.Revision, last)
		last = restored.Revision
		return restored
	}
	restore(snapshot.Path)
	options := restoreOptions(snapshot.Path, filepath.Join(t.TempDir(), "other"))
	_, err := Restore(t.Context(), options)
	require.NoError(t, err)
	second := start(t, options.DataDir).saved(t)
	assert.Equal(t, snapshot.digest, second.digest)
	now = now.Add(time.Hour)
	restore(second.Path) // of a restored store
	restore(snapshot.Path)
}

func TestARevisionIsNeverBehindTheSnapshot(t *testing.T) {
	now := time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		snapshot int64
		now      time.Time
		want     int64
	}{
		"the clock is right":                       {1234, now, now.UnixMicro()},
		"the clock is a year behind":               {now.UnixMicro() + 5, now.AddDate(-1, 0, 0), now.UnixMicro() + 5 + leastDistance},
		"the clock is at its beginning":            {1234, time.Unix(0, 0), 1234 + leastDistance},
		"the snapshot is of a clock a year before": {now.AddDate(1, 0, 0).UnixMicro(), now, now.AddDate(1, 0, 0).UnixMicro() + leastDistance},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, nextRevision(test.snapshot, test.now)) })
	}
}

func TestWhatCannotBeRestoredLeavesNothing(t *testing.T) {
	etcd := startFilled(t)
	snapshot := etcd.saved(t)
	foreign := start(t, filepath.Join(t.TempDir(), "foreign"))
	foreign.put(t, "/registry/pods/default/one", "k8s")
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	content, err := os.ReadFile(snapshot.Path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(damaged, content[:len(content)/2], 0o600))

	for name, test := range map[string]struct {
		snapshot, says string
	}{
		"a snapshot that is cut off":    {damaged, damaged},
		"a snapshot of another cluster": {foreign.saved(t).Path, "is not of a server of flow control"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "new")
			_, err := Restore(t.Context(), restoreOptions(test.snapshot, path))
			require.ErrorContains(t, err, test.says)
			assert.NoDirExists(t, path)
		})
	}
	t.Run("a data directory in use", func(t *testing.T) {
		_, err := Restore(t.Context(), restoreOptions(snapshot.Path, etcd.path))
		require.ErrorContains(t, err, "nothing is overwritten")
		assert.Equal(t, schemaNamed(t, "one"), etcd.get(t, prefix+"/flowschemas/one"))
	})
	t.Run("certificates that are not there", func(t *testing.T) {
		options := restoreOptions(snapshot.Path, filepath.Join(t.TempDir(), "new"))
		options.CertificatesFrom = t.TempDir()
		_, err := Restore(t.Context(), options)
		require.ErrorContains(t, err, "has no CA")
		assert.NoDirExists(t, options.DataDir)
	})
	t.Run("a disk that is full", func(t *testing.T) {
		parent := t.TempDir()
		printed := onAFullDisk(t, restoreRole, snapshot.Path, filepath.Join(parent, "new"))
		assert.Contains(t, printed, "cannot be restored into")
		assert.Contains(t, printed, "file too large")
		assert.Empty(t, namesIn(t, parent))
	})
}
