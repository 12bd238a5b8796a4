package embedded

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"
	"go.etcd.io/etcd/api/v3/version"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

func TestAnInterruptedFirstStartIsRepeated(t *testing.T) {
	tests := map[string]func(t *testing.T, path string){
		"when it was marked": func(t *testing.T, path string) {
			victim := startChild(t, "mark", path)
			require.Equal(t, "opened", victim.next())
			require.Equal(t, "marked", victim.next())
			victim.kill()
		},
		"as soon as there is a database": func(t *testing.T, path string) {
			killAtFirstSightOf(t, path, "member/snap/db")
		},
		"as soon as there is a log": func(t *testing.T, path string) {
			killAtFirstSightOf(t, path, "member/wal/0000000000000000-0000000000000000.wal")
		},
		// Without the mark, etcd would wait forever for a leader.
		"twice, when there is a log without an entry": func(t *testing.T, path string) {
			member := filepath.Join(path, "etcd", "member")
			dir := openDirectory(t, path)
			for range 2 {
				require.NoError(t, prepareStore(dir.etcdPath()))
				require.FileExists(t, filepath.Join(member, firstStartName), "until a start is complete")
				require.NoError(t, os.MkdirAll(filepath.Join(member, "snap"), 0o700))
				require.NoError(t, createLog(filepath.Join(member, "wal")))
			}
			require.NoError(t, dir.Close())
		},
	}
	for name, interrupt := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data")
			interrupt(t, path)

			etcd := startEtcd(t, openDirectory(t, path), logr.Discard())
			_, err := newClient(t, etcd).Put(t.Context(), "key", "value")
			assert.NoError(t, err)
			assert.NoFileExists(t, filepath.Join(path, "etcd", "member", firstStartName))
		})
	}
}

func TestAFullDiskEndsEtcdAndNotTheProcess(t *testing.T) {
	rejection := startChild(t, "serve on a full disk", filepath.Join(t.TempDir(), "data")).rejection()
	assert.Contains(t, rejection, "cannot start")
	assert.Contains(t, rejection, "file too large")

	// etcd also writes its database ten times a second. That write may fail before
	// the write of the log.
	rejection = startChild(t, "write until the disk is full", filepath.Join(t.TempDir(), "data")).rejection()
	assert.Regexp(t, `^failed to (save Raft hard state and entries|commit tx),.*file too large`, rejection)
}

func killAtFirstSightOf(t *testing.T, path, file string) {
	t.Helper()
	victim := startChild(t, "die at first sight of "+file, path)
	require.Equal(t, "opened", victim.next())
	for victim.lines.Scan() {
		require.Equal(t, "ready", victim.lines.Text(), "it comes so far at most")
	}
	victim.kill()
	require.FileExists(t, filepath.Join(path, "etcd", file))
}

func TestStartEtcdRejectsDataItCannotUse(t *testing.T) {
	tests := map[string]struct {
		spoil func(t *testing.T, member string)
		// limit is the time limit for an etcd that would otherwise wait forever.
		limit time.Duration
		wants []string
	}{
		"a database cut short": {
			spoil: func(t *testing.T, member string) {
				require.NoError(t, os.Truncate(filepath.Join(member, "snap", "db"), 100))
			},
			wants: []string{"snap/db cannot be opened", "restore a snapshot into a new directory"},
		},
		"a database whose pages are rubbish": {
			spoil: func(t *testing.T, member string) {
				overwrite(t, filepath.Join(member, "snap", "db"), 2*int64(os.Getpagesize()))
			},
			wants: []string{"snap/db is damaged", "restore a snapshot into a new directory"},
		},
		"a log damaged in its middle": {
			spoil: func(t *testing.T, member string) { falsify(t, firstLog(member), "key/50") },
			wants: []string{"cannot start", "crc mismatch", "restore a snapshot into a new directory"},
		},
		"a log damaged from its beginning": {
			spoil: func(t *testing.T, member string) { overwrite(t, firstLog(member), 200) },
			limit: time.Second,
			wants: []string{"did not become ready in time", "restore a snapshot into a new directory"},
		},
		"a database without its log": {
			spoil: func(t *testing.T, member string) { require.NoError(t, os.RemoveAll(filepath.Join(member, "wal"))) },
			wants: []string{"the data are incomplete", "no log in", "restore a snapshot into a new directory"},
		},
		"data of an etcd that cannot be": {
			spoil: func(t *testing.T, member string) { setClusterVersion(t, filepath.Join(member, "snap", "db"), "new") },
			wants: []string{`the version of the data is "new"`, "restore a snapshot into a new directory"},
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
			spoil: func(t *testing.T, member string) { setClusterVersion(t, filepath.Join(member, "snap", "db"), "3.99.0") },
			wants: []string{"the data were written by etcd 3.99.0, and this server has etcd " + version.Version, "use the newer server"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data")
			fill(t, path)
			test.spoil(t, filepath.Join(path, "etcd", "member"))
			limit := cmp.Or(test.limit, eventually.Grace)
			rejection := startChild(t, serveWithin+limit.String(), path).rejection()
			for limit < eventually.Grace && strings.Contains(rejection, "did not open its data in time") { // the machine is busy
				limit *= 2
				rejection = startChild(t, serveWithin+limit.String(), path).rejection()
			}
			for _, want := range append(test.wants, filepath.Join(path, "etcd")) {
				assert.Contains(t, rejection, want)
			}
		})
	}
}

// fill creates the data of an etcd with some keys and closes it.
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

// overwrite overwrites the rest of a file, up to one mebibyte, with invalid
// bytes.
func overwrite(t *testing.T, path string, offset int64) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	rubbish := make([]byte, min(info.Size()-offset, 1<<20))
	for i := range len(rubbish) / 8 {
		binary.LittleEndian.PutUint64(rubbish[8*i:], 0x9e3779b97f4a7c15*uint64(i+1))
	}
	_, err = file.WriteAt(rubbish, offset)
	require.NoError(t, err)
}

// falsify changes the last letter of the first occurrence of what in the file.
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
