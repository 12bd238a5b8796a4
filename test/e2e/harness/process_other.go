//go:build !linux

package harness

import "syscall"

// diesWithParent is Linux's alone; elsewhere the test's own cleanup must do.
func diesWithParent() *syscall.SysProcAttr { return nil }

// awaitPause has no means to wait for it here.
func awaitPause(int) error { return nil }
