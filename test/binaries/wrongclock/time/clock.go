//go:build unix

// Package time makes the wall clock of a program wrong. It is compiled into the package
// time of the standard library, see package binaries: Go programs read the clock without a
// system call, so nothing outside a process can make it wrong for this process alone.
package time

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// clockVariable names a file, whose first eight bytes are the number of seconds, in the
// order of the machine's bytes, that the clock is ahead. The file may change at any time.
const clockVariable = "FLOWCONTROL_TEST_CLOCK"

// ahead is the beginning of that file; without one the clock is right.
var ahead = mapClock() //nolint:gochecknoglobals // the clock of a process

func mapClock() *int64 {
	path, found := syscall.Getenv(clockVariable)
	if !found {
		return new(int64)
	}
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		panic(clockVariable + ": " + err.Error())
	}
	content, err := syscall.Mmap(fd, 0, 8, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		panic(clockVariable + ": " + err.Error())
	}
	return (*int64)(unsafe.Pointer(unsafe.SliceData(content)))
}

// SecondsAhead is added to the seconds of each reading of the wall clock.
func SecondsAhead() int64 { return atomic.LoadInt64(ahead) }
