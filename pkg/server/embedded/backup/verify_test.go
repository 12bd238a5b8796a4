package backup

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"
)

func TestFilesThatAreNoSnapshotsAreRejected(t *testing.T) {
	etcd := startFilled(t)
	good, err := os.ReadFile(etcd.saved(t).Path)
	require.NoError(t, err)
	changed := append([]byte{}, good...)
	changed[len(changed)/2] ^= 1
	pageSize := os.Getpagesize()

	for name, test := range map[string]struct {
		content []byte
		says    string
	}{
		"a file that is empty":               {nil, "is not a snapshot of etcd: it is too short"},
		"a text":                             {[]byte("apiVersion: v1\nkind: ConfigMap\n"), "is not a snapshot of etcd: it does not begin as a database does"},
		"a snapshot without its end":         {good[:len(good)-100], "is cut off"},
		"a snapshot without its checksum":    {good[:len(good)-sha256.Size], "is cut off, or is a database that was copied without etcd"},
		"a snapshot that lost whole sectors": {good[:len(good)-4*sectorSize], "is damaged: its checksum does not match"},
		"a snapshot with a bit that changed": {changed, "is damaged: its checksum does not match"},
		"a database without most of its pages": {
			withChecksum(good[:2*pageSize]), "cannot be used",
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			require.NoError(t, os.WriteFile(path, test.content, 0o600))
			_, err := Verify(path, prefix)
			require.ErrorContains(t, err, path)
			require.ErrorContains(t, err, test.says)
		})
	}
	_, err = Verify(filepath.Join(t.TempDir(), "absent"), prefix)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Verify(t.TempDir(), prefix)
	require.ErrorContains(t, err, "is not a file")
}

func withChecksum(database []byte) []byte {
	sum := sha256.Sum256(database)
	return append(append([]byte{}, database...), sum[:]...)
}

func TestADatabaseOfAnotherProgramIsRejected(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	database, err := bolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, database.Update(func(tx *bolt.Tx) error {
		_, err := tx.CreateBucket([]byte("accounts"))
		return err
	}))
	require.NoError(t, database.Close())
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, withChecksum(content), 0o600))

	_, err = Verify(path, prefix)
	require.ErrorContains(t, err, "it is a database of something else than etcd")
}

func TestASnapshotOfANewerEtcdIsRejected(t *testing.T) {
	snapshot := startFilled(t).saved(t)
	content, err := os.ReadFile(snapshot.Path)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "newer.db")
	require.NoError(t, os.WriteFile(path, content[:len(content)-sha256.Size], 0o600))
	database, err := bolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, database.Update(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte("cluster")).Put([]byte("clusterVersion"), []byte("3.99.0"))
	}))
	require.NoError(t, database.Close())
	content, err = os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, withChecksum(content), 0o600))

	_, err = Verify(path, prefix)
	require.ErrorContains(t, err, "written by etcd 3.99.0")
}

func TestCheckTellsAStoreOfFlowControlFromOthers(t *testing.T) {
	for name, test := range map[string]struct {
		values     map[string]string
		says       string
		unreadable int
	}{
		"of flow control": {values: map[string]string{prefix + "/flowschemas/one": schemaNamed(t, "one")}},
		"of flow control and more": {values: map[string]string{
			prefix + "/flowschemas/one": schemaNamed(t, "one"), "/registry/pods/default/one": "k8s",
		}},
		"of flow control, encrypted": {values: map[string]string{prefix + "/flowschemas/one": "k8s:enc:secretbox:v1:key:x"}},
		"of flow control, with an object that cannot be read": {values: map[string]string{
			prefix + "/flowschemas/one": schemaNamed(t, "one"), prefix + "/flowschemas/two": "k8s\x00\xff",
		}, unreadable: 1},
		"empty":                               {says: "the store is empty"},
		"of Kubernetes":                       {values: map[string]string{"/registry/pods/default/one": "k8s", "/registry/pods/default/two": "k8s", "/registry/nodes/one": "k8s"}, says: "3 other keys, most of them below /registry/pods/: it is of another cluster"},
		"with other objects below the prefix": {values: map[string]string{prefix + "/flowschemas/one": "text"}, says: "no object below " + prefix + " can be read", unreadable: 1},
		"with an object below the name of another":   {values: map[string]string{prefix + "/flowschemas/one": schemaNamed(t, "two")}, says: `it is the object "two"`, unreadable: 1},
		"with keys of other forms below the prefix":  {values: map[string]string{prefix + "/flowschemas/a/b": "x", prefix + "/others/a": "x", prefix + "/flowschemas/": "x"}, says: "3 other keys"},
		"with a prefix that only begins like ours":   {values: map[string]string{prefix + "s/flowschemas/one": schemaNamed(t, "one")}, says: "1 other keys"},
		"of flow control below the prefix of others": {values: map[string]string{"/registry/flowschemas/one": schemaNamed(t, "one")}, says: "--etcd-prefix is another"},
	} {
		t.Run(name, func(t *testing.T) {
			values := map[string][]byte{}
			for key, value := range test.values {
				values[key] = []byte(value)
			}
			contents := newContents(5, values, newObjectReader(prefix+"/"))
			assert.Len(t, contents.Unreadable, test.unreadable)
			if err := contents.Check(); test.says == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.says)
			}
		})
	}
}
