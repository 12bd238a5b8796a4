package harness

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// Clock sets the wall clock of one process wrong, whose program is binaries.WrongClock.
type Clock struct{ path string }

// NewClock returns a clock that is right.
func NewClock(t TB) *Clock {
	t.Helper()
	c := &Clock{path: filepath.Join(t.TempDir(), "clock")}
	c.Set(t, 0)
	return c
}

// Env is what the environment of the process needs.
func (c *Clock) Env() string { return binaries.ClockVariable + "=" + c.path }

// Set sets the clock ahead, or behind if ahead is negative. The process reads the new time at once.
func (c *Clock) Set(t TB, ahead time.Duration) {
	t.Helper()
	// Not os.WriteFile, which truncates the file while the process reads it.
	file, err := os.OpenFile(c.path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		_, err = file.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(ahead/time.Second)), 0)
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		t.Fatalf("setting the clock of a process: %v", err)
	}
}
