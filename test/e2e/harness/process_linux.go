package harness

import "syscall"

// diesWithParent makes the kernel kill a child whose parent has died.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
