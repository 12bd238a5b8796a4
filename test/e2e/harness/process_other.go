//go:build !linux

package harness

import "syscall"

// diesWithParent does nothing: only Linux has this. The test's cleanup ends the
// process.
func diesWithParent() *syscall.SysProcAttr { return nil }

// awaitPause does nothing: only Linux can wait for a stop here.
func awaitPause(int) error { return nil }
