//go:build !linux

package harness

import (
	"errors"
	"syscall"
)

// diesWithParent does nothing: only Linux has this. The test's cleanup ends the
// process.
func diesWithParent() *syscall.SysProcAttr { return nil }

// awaitPause does nothing: only Linux can wait for a stop here.
func awaitPause(int) error { return nil }

func limitFiles(int, uint64) error {
	return errors.New("only on Linux the size of another process's files can be limited")
}
