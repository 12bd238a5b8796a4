package embedded

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// InUseError says that another process holds the data directory.
type InUseError struct {
	// Path is the absolute path of the directory.
	Path string
	// PID is the process id that the holder wrote, 0 if it has not yet.
	PID int
}

var _ error = (*InUseError)(nil)

// Error names the directory, the process, and the ways out.
func (e *InUseError) Error() string {
	holder := "another process"
	if e.PID != 0 {
		holder = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("data directory %s is in use by %s; stop it or choose another --data-dir", e.Path, holder)
}

// acquireLock locks the directory through a file in it. The kernel drops the
// lock with the process, however that ends; the file stays, because removing it
// would let a third process lock a new file while a second waits on the old one.
func acquireLock(directory string) (*os.File, error) {
	path := filepath.Join(directory, lockName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, secretMode)
	if err != nil {
		return nil, notWritable(directory, err)
	}
	if err := flock(file); err != nil {
		defer func() { _ = file.Close() }()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, &InUseError{Path: directory, PID: readPID(file)}
		}
		return nil, fmt.Errorf("data directory %s cannot be locked: %w; choose a --data-dir on a file system with locks", directory, err)
	}
	if err := writePID(file); err != nil {
		return nil, errors.Join(notWritable(directory, err), file.Close())
	}
	return file, nil
}

func flock(file *os.File) error {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

func writePID(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

func readPID(file *os.File) int {
	content, err := io.ReadAll(io.LimitReader(file, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0
	}
	return pid
}
