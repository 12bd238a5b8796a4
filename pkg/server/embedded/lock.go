package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
)

// InUseError is the error for a data directory that another process has locked.
type InUseError struct {
	// Path is the absolute path of the directory.
	Path string
	// PID is the holder's process ID, 0 if the lock file does not contain it yet.
	PID int
}

var _ error = (*InUseError)(nil)

// Error names the directory, the holder and the remedies.
func (e *InUseError) Error() string {
	holder := "another process"
	if e.PID != 0 {
		holder = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("data directory %s is in use by %s; stop it or choose another --data-dir", e.Path, holder)
}

// acquireLock locks the directory by a file in it. The kernel releases the lock
// when the process ends, however it ends. The file is never removed: a third
// process could then lock a new file while a second one locks the old.
func acquireLock(directory string) (*fileutil.LockedFile, error) {
	path := filepath.Join(directory, lockName)
	const flags = os.O_RDWR | os.O_CREATE | syscall.O_NOFOLLOW
	// TryLockFile does not tell a failure to open from a failure to lock.
	file, err := os.OpenFile(path, flags, secretMode)
	if err != nil {
		return nil, notWritable(directory, err)
	}
	if err := file.Close(); err != nil {
		return nil, notWritable(directory, err)
	}
	lock, err := fileutil.TryLockFile(path, flags, secretMode)
	if errors.Is(err, fileutil.ErrLocked) {
		return nil, &InUseError{Path: directory, PID: readPID(path)}
	}
	if err != nil {
		return nil, fmt.Errorf("data directory %s cannot be locked: %w; choose a --data-dir on a file system with locks", directory, err)
	}
	if err := writePID(lock.File); err != nil {
		return nil, errors.Join(notWritable(directory, err), lock.Close())
	}
	return lock, nil
}

func writePID(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// readPID returns 0 if the lock file contains no process ID.
func readPID(path string) int {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0
	}
	return pid
}
