package backup

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

const (
	// revisionBytes is the length of a key in etcd's database: the main revision, '_',
	// and the number within it. A tombstone has a 't' more.
	revisionBytes = 17
	mainBytes     = 8
)

// Snapshot is a verified snapshot.
type Snapshot struct {
	*Contents
	// Path is where it is.
	Path string
	// Size is the size of the file in bytes, with its checksum.
	Size int64
}

// Verify reads a snapshot from end to end. Prefix begins the server's keys. The error names the
// file and says whether it is no snapshot, cut off, damaged, or of a newer etcd.
func Verify(path, prefix string) (*Snapshot, error) {
	size, err := verifyChecksum(path)
	if err != nil {
		return nil, err
	}
	snapshot := &Snapshot{Path: path, Size: size}
	err = embedded.ViewDatabase(path, func(tx *bolt.Tx) error {
		if err := walk(tx); err != nil {
			return err
		}
		values, revision, err := currentValues(tx)
		snapshot.Contents = newContents(revision, values, newObjectReader(prefix))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("snapshot %s cannot be used: %w", path, err)
	}
	return snapshot, nil
}

// walk reads every bucket.
func walk(tx *bolt.Tx) error {
	return tx.ForEach(func(_ []byte, bucket *bolt.Bucket) error {
		return bucket.ForEach(func(_, _ []byte) error { return nil })
	})
}

// currentValues returns the values of the keys at the last revision, and that
// revision.
func currentValues(tx *bolt.Tx) (values map[string][]byte, revision int64, err error) {
	keys := tx.Bucket([]byte("key"))
	if keys == nil {
		return nil, 0, errors.New("it has no keys: it is a database of something else than etcd")
	}
	values = map[string][]byte{}
	err = keys.ForEach(func(key, value []byte) error {
		if len(key) < revisionBytes {
			return fmt.Errorf("%x is not a revision of etcd", key)
		}
		revision = int64(binary.BigEndian.Uint64(key[:mainBytes]))
		var kv mvccpb.KeyValue
		if err := embedded.Unmarshal(value, &kv); err != nil {
			return fmt.Errorf("revision %d is damaged: %w", revision, err)
		}
		switch {
		case len(kv.Key) == 0: // of an earlier restore, which raised the revision
		case len(key) > revisionBytes:
			delete(values, string(kv.Key))
		default:
			values[string(kv.Key)] = bytes.Clone(kv.Value)
		}
		return nil
	})
	return values, revision, err
}
