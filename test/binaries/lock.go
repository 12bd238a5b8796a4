package binaries

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock waits for the exclusive lock on the file at path, which it creates if
// missing. The kernel releases the lock when the process ends.
func lock(path string) (unlock func(), err error) {
	file, err := flock(path, syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	return func() { _ = file.Close() }, nil
}

// tryLock reports whether the lock is free. It does not keep the lock.
func tryLock(path string) (bool, error) {
	file, err := flock(path, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, file.Close()
}

func flock(path string, how int) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), how); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return file, nil
}
