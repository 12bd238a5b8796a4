package binaries

import (
	"fmt"
	"os"
	"syscall"
)

// lock waits for the exclusive lock on the file at path, which it creates if
// missing. The kernel releases the lock when the process ends.
func lock(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return func() { _ = file.Close() }, nil
}
