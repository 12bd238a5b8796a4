package etcdcmd

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSnapshotsOfAClusterAreNumberedAndOldOnesRemoved(t *testing.T) {
	s := start(t, t.TempDir())
	directory := filepath.Join(t.TempDir(), "snapshots")
	take := func() (string, error) {
		return execute(t, "snapshot", "--etcd-servers="+s.etcd.Endpoint(), "--etcd-snapshot-dir="+directory, "--etcd-snapshot-retain=2")
	}
	require.NoError(t, os.MkdirAll(directory, 0o700))
	other, partial := filepath.Join(directory, "other.db"), filepath.Join(directory, ".flowcontrol-apiserver-snapshot-1.partial")
	for _, file := range []string{other, partial} {
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
	var out string
	for _, key := range []string{"a", "b", "c"} {
		s.put(t, "/other/"+key, "value")
		var err error
		out, err = take()
		require.NoError(t, err)
	}
	assert.Contains(t, out, "Snapshot saved to "+directory+"/flowcontrol-apiserver-20260131T040000Z-r00000000000000000005.db: ")
	assert.Contains(t, out, "Removed flowcontrol-apiserver-20260131T040000Z-r00000000000000000003.db.")
	assert.Equal(t, []string{
		"flowcontrol-apiserver-20260131T040000Z-r00000000000000000004.db", "flowcontrol-apiserver-20260131T040000Z-r00000000000000000005.db", "other.db",
	}, names(t, directory))

	// A store that was emptied must not push the good snapshots out.
	_, err := s.Delete(t.Context(), prefix+"/flowschemas/one")
	require.NoError(t, err)
	_, err = take()
	require.ErrorContains(t, err, "is of no use, and old ones are kept: ")
	assert.Len(t, names(t, directory), 4)
}

func names(t *testing.T, directory string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestSnapshotRejectsFlagsThatContradictEachOther(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"two stores":          {[]string{"--etcd-servers=http://127.0.0.1:1", "--data-dir=data", "file"}, "--etcd-servers and --data-dir name two stores: give one of them"},
		"two places":          {[]string{"--etcd-snapshot-dir=snapshots", "file"}, "FILE and --etcd-snapshot-dir name two places: give one of them"},
		"a number of nothing": {[]string{"--etcd-snapshot-retain=2", "file"}, "--etcd-snapshot-retain requires --etcd-snapshot-dir"},
		"none are kept":       {[]string{"--etcd-snapshot-dir=snapshots", "--etcd-snapshot-retain=0"}, "--etcd-snapshot-retain=0 must be at least 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := execute(t, append([]string{"snapshot"}, test.args...)...)
			require.EqualError(t, err, test.says)
		})
	}
}

func TestMemberIsRestoredFromTheNewestSnapshotOrFromANamedOne(t *testing.T) {
	s := start(t, t.TempDir())
	directory, dataDir := t.TempDir(), filepath.Join(t.TempDir(), "data")
	for _, key := range []string{"a", "b"} {
		_, err := execute(t, "snapshot", "--etcd-servers="+s.etcd.Endpoint(), "--etcd-snapshot-dir="+directory)
		require.NoError(t, err)
		s.put(t, "/other/"+key, "value")
	}
	restore := func(args ...string) (string, error) {
		return execute(t, append([]string{
			"restore-member", "etcd-0", "--data-dir=" + dataDir, "--initial-cluster=etcd-0=http://etcd-0:2380", "--etcd-snapshot-dir=" + directory, "--restored-at=1769832000",
		}, args...)...)
	}
	kept := names(t, directory)
	out, err := restore()
	require.NoError(t, err)
	assert.Contains(t, out, "Snapshot "+filepath.Join(directory, kept[1])+": revision 3, 1 flowschemas")
	assert.Contains(t, out, "Restored to "+dataDir+": every key is as in the snapshot; the store continues at revision 1769832000000000.")
	out, err = restore(kept[0])
	require.NoError(t, err)
	assert.Contains(t, out, "Snapshot "+filepath.Join(directory, kept[0])+": revision 2, ")
	assert.Contains(t, out, "The data that were there are now at "+dataDir+".set-aside-1.")

	_, err = restore("absent.db")
	require.EqualError(t, err, "directory "+directory+" has no snapshot absent.db: it has "+kept[0]+", "+kept[1])
	_, err = execute(t, "restore-member", "etcd-0", "--etcd-snapshot-dir="+t.TempDir())
	require.ErrorContains(t, err, "has no snapshots")
	_, err = execute(t, "restore-member", "etcd-0")
	require.EqualError(t, err, "name FILE, or --etcd-snapshot-dir for the newest snapshot in it")
	_, err = execute(t, "restore-member", "etcd-0", filepath.Join(directory, kept[0]))
	require.EqualError(t, err, "--data-dir and --initial-cluster must have the values of the member")
	_, err = execute(t, "restore-member", "etcd-0", filepath.Join(directory, kept[0]), "--data-dir="+dataDir, "--initial-cluster=etcd-0=http://etcd-0:2380")
	require.ErrorContains(t, err, "--restored-at must be the time of the restore")
}
