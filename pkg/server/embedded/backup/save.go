package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

// partialPattern matches temporary files.
const partialPattern = ".flowcontrol-apiserver-snapshot-*.partial"

// Save writes a snapshot of an etcd to path, which must not exist, and verifies it.
// It is as of a revision that is not before the call, so it includes each write that
// was acknowledged before. Writes go on meanwhile.
//
// On error no file is left. The error names the path and what is wrong: the file
// exists, its directory does not or is not writable, the disk is full, or etcd ended
// the transfer.
func Save(ctx context.Context, client *clientv3.Client, path, prefix string) (*Snapshot, error) {
	// Before the transfer; naming the file checks it again.
	if _, err := os.Lstat(path); err == nil {
		return nil, existsError(path)
	}
	directory, name := filepath.Split(path)
	return save(ctx, client, filepath.Clean(directory+"."), prefix, func(*Snapshot) string { return name })
}

// save writes a snapshot into a directory under the name that is chosen when its
// contents are known.
func save(ctx context.Context, client *clientv3.Client, directory, prefix string, name func(*Snapshot) string) (_ *Snapshot, err error) {
	temporary, err := os.CreateTemp(directory, partialPattern) // mode 0600
	if err != nil {
		return nil, writeError(directory, err)
	}
	defer func() { err = errors.Join(err, removeIfExists(temporary.Name())) }()
	if err := errors.Join(transfer(ctx, client, temporary), temporary.Close()); err != nil {
		return nil, writeError(directory, err)
	}
	snapshot, err := Verify(temporary.Name(), prefix)
	if err != nil {
		return nil, err
	}
	snapshot.Path = filepath.Join(directory, name(snapshot))
	if err := giveName(temporary.Name(), snapshot.Path); err != nil {
		return nil, err
	}
	return snapshot, embedded.SyncDirectory(directory)
}

// transfer writes a snapshot to a file durably.
func transfer(ctx context.Context, client *clientv3.Client, file *os.File) error {
	stream, err := client.Snapshot(ctx)
	if err != nil {
		return fmt.Errorf("etcd sends no snapshot: %w", err)
	}
	_, err = io.Copy(file, stream)
	if err = errors.Join(err, stream.Close()); err != nil {
		return err
	}
	return file.Sync()
}

// giveName names a complete file, unless the name is taken.
func giveName(temporary, path string) error {
	err := os.Link(temporary, path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return existsError(path)
	case errors.Is(err, syscall.EPERM), errors.Is(err, errors.ErrUnsupported):
		return rename(temporary, path) // a file system without links
	case err != nil:
		return writeError(filepath.Dir(path), err)
	}
	return nil
}

func rename(temporary, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return existsError(path)
	}
	if err := os.Rename(temporary, path); err != nil {
		return writeError(filepath.Dir(path), err)
	}
	return nil
}

func existsError(path string) error {
	return fmt.Errorf("%s exists, and a snapshot never overwrites a file; choose another name", path)
}

// writeError explains why a snapshot could not be written into a directory.
func writeError(directory string, err error) error {
	remedy := "no file was left"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		remedy = "create the directory, or choose another"
	case errors.Is(err, fs.ErrPermission):
		remedy = "make the directory writable, or choose another"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EFBIG), errors.Is(err, syscall.EDQUOT):
		remedy = "the disk is full; free space or choose another directory; no file was left"
	}
	return fmt.Errorf("snapshot cannot be written into %s: %w; %s", directory, err, remedy)
}

func removeIfExists(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
