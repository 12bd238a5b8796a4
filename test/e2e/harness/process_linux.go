package harness

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// diesWithParent makes the kernel kill a child whose parent has died.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// awaitPause waits until a child that was sent SIGSTOP has stopped. It does not
// reap the child.
func awaitPause(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// limitFiles sets the largest size of a file that a process may write, in bytes.
func limitFiles(pid int, size uint64) error {
	return unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: unix.RLIM_INFINITY}, nil)
}
