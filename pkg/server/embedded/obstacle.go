package embedded

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// segmentBytes is the size of a segment of etcd's log, which etcd allocates as a whole.
const segmentBytes = 64 << 20

// obstacleIn returns what keeps etcd from using its directory although the data in it may be whole: no space,
// no inodes, a quota, a file system that is read-only, or missing permissions. etcd reports such a failure as
// a log that it cannot repair.
func obstacleIn(directory string) error {
	err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return tryToWrite(path, 0)
		case !entry.Type().IsRegular():
			return nil
		}
		file, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // the directory is the server's own, and locked
		if err != nil {
			return err
		}
		return file.Close()
	})
	if err != nil {
		return err
	}
	return tryToWrite(directory, segmentBytes)
}

// tryToWrite writes a file of so many bytes, and removes it.
func tryToWrite(directory string, bytes int64) error {
	file, err := os.CreateTemp(directory, ".space-")
	if err != nil {
		return err
	}
	_, err = io.CopyN(file, zeros{}, bytes)
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}

// zeros is an endless source of zeros.
type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(into []byte) (int, error) {
	clear(into)
	return len(into), nil
}

// remedyOf says how to remove an obstacle.
func remedyOf(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "free space on the disk, or inodes: etcd needs 64 MiB for a segment of its log"
	case errors.Is(err, syscall.EFBIG):
		return "raise the limit of this process for the size of a file (ulimit -f)"
	case errors.Is(err, syscall.EDQUOT):
		return "raise the quota of this user, or remove files"
	case errors.Is(err, syscall.EROFS):
		return "make the file system writable, or choose another --data-dir if this one has no data"
	case errors.Is(err, fs.ErrPermission):
		return "let the user of this server read and write the files"
	default:
		return "check the disk"
	}
}
