package standalone

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"
	clientv3 "go.etcd.io/etcd/client/v3"
)

func TestNothingAcknowledgedIsLostByKills(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	const rounds, perRound = 3, 300
	var acknowledged []string
	for range rounds {
		writer := startChild(t, "write", path)
		require.Equal(t, "opened", writer.next())
		for range perRound {
			acknowledged = append(acknowledged, writer.next())
		}
		acknowledged = append(acknowledged, writer.killAndDrain()...)
	}

	etcd := startEtcd(t, openDirectory(t, path), logr.Discard())
	got, err := newClient(t, etcd).Get(t.Context(), "written/", clientv3.WithPrefix())
	require.NoError(t, err)
	stored := map[string]string{}
	for _, kv := range got.Kvs {
		stored[string(kv.Key)] = string(kv.Value)
	}
	require.GreaterOrEqual(t, len(acknowledged), rounds*perRound)
	for _, key := range acknowledged {
		require.Equal(t, "value of "+key, stored[key])
	}
}

func TestAFirstStartThatWasKilledIsBegunAnew(t *testing.T) {
	tests := map[string]string{
		"when it was marked":        "first-start",
		"when there was a database": "member/snap/db",
		"when there was a log":      "member/wal/0000000000000000-0000000000000000.wal",
	}
	for name, milestone := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data")
			victim := startChild(t, "serve", path)
			eventually(t, "the child makes "+milestone, func() bool {
				_, err := os.Stat(filepath.Join(path, "etcd", milestone))
				return err == nil
			})
			victim.kill()

			etcd := startEtcd(t, openDirectory(t, path), logr.Discard())
			_, err := newClient(t, etcd).Put(t.Context(), "key", "value")
			assert.NoError(t, err)
			assert.NoFileExists(t, filepath.Join(path, "etcd", "first-start"))
		})
	}
}

func TestAMarkedFirstStartDropsWhatWasBegun(t *testing.T) {
	dir := openDirectory(t, filepath.Join(t.TempDir(), "data"))
	etcd := startEtcd(t, dir, logr.Discard())
	mark := filepath.Join(dir.Path(), "etcd", "first-start")
	require.NoFileExists(t, mark)
	require.NoError(t, etcd.Close(t.Context()))

	write(t, mark, "")
	write(t, filepath.Join(dir.Path(), "etcd", "member", "wal", "0000000000000000-0000000000000000.wal"), "torn")
	etcd = startEtcd(t, dir, logr.Discard())
	assert.NoFileExists(t, mark)
	assert.NoError(t, etcd.Close(t.Context()))
}

func TestStartEtcdRefusesDataItCannotUse(t *testing.T) {
	tests := map[string]struct {
		spoil func(t *testing.T, member string)
		role  string
		wants []string
	}{
		"a database cut short": {
			spoil: func(t *testing.T, member string) {
				require.NoError(t, os.Truncate(filepath.Join(member, "snap", "db"), 100))
			},
			wants: []string{"snap/db cannot be opened", "restore the directory from a backup"},
		},
		"a database of rubbish": {
			spoil: func(t *testing.T, member string) { overwrite(t, filepath.Join(member, "snap", "db"), 0) },
			wants: []string{"snap/db cannot be opened: invalid database", "restore the directory from a backup"},
		},
		"a database whose pages are rubbish": {
			spoil: func(t *testing.T, member string) {
				overwrite(t, filepath.Join(member, "snap", "db"), 2*int64(os.Getpagesize()))
			},
			wants: []string{"snap/db is damaged", "restore the directory from a backup"},
		},
		"a log damaged in its middle": {
			spoil: func(t *testing.T, member string) { falsify(t, firstLog(member), "key/50") },
			wants: []string{"cannot start", "crc mismatch", "restore the directory from a backup"},
		},
		"a log damaged from its beginning": {
			spoil: func(t *testing.T, member string) { overwrite(t, firstLog(member), 200) },
			role:  "serve within a second",
			wants: []string{"did not become ready in time", "restore the directory from a backup"},
		},
		"a database without its log": {
			spoil: func(t *testing.T, member string) { require.NoError(t, os.RemoveAll(filepath.Join(member, "wal"))) },
			wants: []string{"the data are incomplete", "no log in", "restore the directory from a backup"},
		},
		"data of an etcd that cannot be": {
			spoil: func(t *testing.T, member string) { setClusterVersion(t, filepath.Join(member, "snap", "db"), "new") },
			wants: []string{`the version of the data is "new"`, "restore the directory from a backup"},
		},
		"data that another program has open": {
			spoil: func(t *testing.T, member string) {
				database, err := bolt.Open(filepath.Join(member, "snap", "db"), 0o600, nil)
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, database.Close()) })
			},
			wants: []string{"is in use by another program"},
		},
		"data of a newer etcd": {
			spoil: func(t *testing.T, member string) { setClusterVersion(t, filepath.Join(member, "snap", "db"), "3.6.0") },
			wants: []string{"the data were written by etcd 3.6.0, and this server has etcd 3.5", "use the newer server"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data")
			fill(t, path)
			test.spoil(t, filepath.Join(path, "etcd", "member"))
			refusal := startChild(t, cmp.Or(test.role, "serve"), path).refusal()
			for _, want := range append(test.wants, filepath.Join(path, "etcd")) {
				assert.Contains(t, refusal, want)
			}
		})
	}
}

// fill leaves an etcd with some data behind, closed.
func fill(t *testing.T, path string) {
	t.Helper()
	dir, err := OpenDataDirectory(path)
	require.NoError(t, err)
	etcd := startEtcd(t, dir, logr.Discard())
	client := newClient(t, etcd)
	for i := range 100 {
		_, err := client.Put(t.Context(), fmt.Sprintf("key/%d", i), "value")
		require.NoError(t, err)
	}
	require.NoError(t, client.Close())
	require.NoError(t, etcd.Close(t.Context()))
	require.NoError(t, dir.Close())
}

// overwrite puts rubbish into the rest of a file, or a mebibyte of it.
func overwrite(t *testing.T, path string, offset int64) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer file.Close()
	rubbish := make([]byte, min(info.Size()-offset, 1<<20))
	for i := range len(rubbish) / 8 {
		binary.LittleEndian.PutUint64(rubbish[8*i:], 0x9e3779b97f4a7c15*uint64(i+1))
	}
	_, err = file.WriteAt(rubbish, offset)
	require.NoError(t, err)
}

// falsify changes the last letter of what is in the file once.
func falsify(t *testing.T, path, what string) {
	t.Helper()
	content := []byte(read(t, path))
	at := bytes.Index(content, []byte(what))
	require.GreaterOrEqual(t, at, 0)
	content[at+len(what)-1]++
	require.NoError(t, os.WriteFile(path, content, 0o600))
}

func firstLog(member string) string {
	return filepath.Join(member, "wal", "0000000000000000-0000000000000000.wal")
}

func setClusterVersion(t *testing.T, database, version string) {
	t.Helper()
	db, err := bolt.Open(database, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte("cluster")).Put([]byte("clusterVersion"), []byte(version))
	}))
	require.NoError(t, db.Close())
}
