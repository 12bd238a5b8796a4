package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

// sectorSize divides the size of every database. A snapshot has its SHA-256 behind it.
const sectorSize = 512

// Snapshot is a snapshot that was read from end to end.
type Snapshot struct {
	Path string
	// SizeBytes is the size of the file.
	SizeBytes int64
	// Revision is the last revision in it.
	Revision int64
}

// Save writes a snapshot of the one etcd of config to path, which must not exist, and verifies it.
// Writes continue meanwhile. On error no file is left.
func Save(ctx context.Context, config clientv3.Config, path string) (*Snapshot, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s exists, and a snapshot never overwrites a file; choose another name", path)
	}
	if err := transfer(ctx, config, path); err != nil {
		return nil, fmt.Errorf("snapshot %s cannot be taken: %w; no file was left", path, err)
	}
	saved, err := Verify(path)
	if err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	return saved, embedded.SyncDirectory(filepath.Dir(path))
}

// transfer writes a snapshot to path, which is complete and durable once it has its name.
func transfer(ctx context.Context, config clientv3.Config, path string) error {
	client, err := clientv3.New(config)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	part := path + partSuffix
	file, err := openPart(part)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(part) }()
	stream, err := client.Snapshot(ctx)
	if err == nil {
		_, err = io.Copy(file, stream)
		err = errors.Join(err, stream.Close(), file.Sync())
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// partSuffix is behind the name of a snapshot that is being written.
const partSuffix = ".part"

// openPart opens an empty file that is locked while it is open, so that removeAbandonedPart can tell it from
// one whose process was killed. A file system may have no locks.
func openPart(path string) (*os.File, error) {
	locked, err := fileutil.TryLockFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	switch {
	case err == nil:
		return locked.File, locked.Truncate(0)
	case errors.Is(err, fileutil.ErrLocked):
		return nil, fmt.Errorf("another process is writing %s", path)
	default:
		return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	}
}

// removeAbandonedPart removes what a process that was killed left of a snapshot, unless another
// process is writing it, or its file system has no locks to tell.
func removeAbandonedPart(path string) error {
	locked, err := fileutil.TryLockFile(path, os.O_WRONLY, 0o600)
	if err != nil {
		return nil //nolint:nilerr // it is in use, or nobody knows
	}
	return errors.Join(os.Remove(path), locked.Close())
}

// Verify reads a snapshot: its checksum, and then every page. The error names the file and says
// whether it is no snapshot, damaged, or of a newer etcd.
func Verify(path string) (*Snapshot, error) {
	size, err := verifyChecksum(path)
	if err != nil {
		return nil, fmt.Errorf("snapshot %s cannot be used: %w", path, err)
	}
	found := &Snapshot{Path: path, SizeBytes: size}
	err = embedded.ViewDatabase(path, func(tx *bolt.Tx) error {
		keys := tx.Bucket([]byte("key"))
		if keys == nil {
			return errors.New("it is a database of something else than etcd")
		}
		if last, _ := keys.Cursor().Last(); len(last) >= 8 {
			found.Revision = int64(binary.BigEndian.Uint64(last))
		}
		return embedded.ReadAll(tx)
	})
	if err != nil {
		return nil, fmt.Errorf("snapshot %s cannot be used: %w", path, err)
	}
	return found, nil
}

// verifyChecksum returns the size of the file in bytes.
func verifyChecksum(path string) (size int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size()%sectorSize != sha256.Size {
		return 0, errors.New("no checksum is at its end: it is cut off, or no snapshot; take one with 'etcd snapshot' or 'etcdctl snapshot save'")
	}
	sum := sha256.New()
	if _, err := io.CopyN(sum, file, info.Size()-sha256.Size); err != nil {
		return 0, err
	}
	want, err := io.ReadAll(file)
	if err == nil && !bytes.Equal(sum.Sum(nil), want) {
		err = errors.New("it is damaged: its checksum does not match; use another snapshot")
	}
	return info.Size(), err
}
