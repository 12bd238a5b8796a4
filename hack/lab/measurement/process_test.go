package measurement

import (
	"os"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestResidentMemoryIsReadInBytes(t *testing.T) {
	got, err := parseMemory([]byte("Name:\tetcd\nVmHWM:\t   61440 kB\nVmRSS:\t   51200 kB\nThreads:\t9\n"), "VmRSS")
	require.NoError(t, err)
	assert.InDelta(t, 50<<20, got, 1e-9)
	_, err = parseMemory([]byte("Name:\tetcd\n"), "VmRSS")
	require.ErrorContains(t, err, "has ended")

	own, err := ProcessMemory(os.Getpid(), "VmRSS")
	require.NoError(t, err)
	assert.Greater(t, own, 1e6)
}

func TestPeakMemoryIsThatSinceItWasReset(t *testing.T) {
	pid := os.Getpid()
	peak := func() float64 {
		bytes, err := ProcessMemory(pid, "VmHWM")
		require.NoError(t, err)
		return bytes
	}
	debug.FreeOSMemory() // so that the runtime frees no memory during the test
	require.NoError(t, ResetPeak(pid))
	before := peak()
	// The memory is mapped, not allocated: the heap may reuse freed memory.
	held, err := syscall.Mmap(-1, 0, 64<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	require.NoError(t, err)
	for i := range held {
		held[i] = 1
	}
	after := peak()
	assert.Greater(t, after, before+32<<20, "64 MiB were written")
	require.NoError(t, syscall.Munmap(held))
	assert.InDelta(t, after, peak(), 32<<20, "it is not what is held now")
	require.NoError(t, ResetPeak(pid))
	assert.Less(t, peak(), after-32<<20)
	require.ErrorContains(t, ResetPeak(0), "Linux")
}

func TestProcessorTimeIsReadFromTheStateOfAProcess(t *testing.T) {
	used, err := parseProcessorTime([]byte("42 (a (b) c) S 1 42 42 0 -1 4194560 1 0 0 0 150 50 7 8 20 0 1 0 100"))
	require.NoError(t, err)
	require.Equal(t, 2*time.Second, used, "150 and 50 ticks of proc_pid_stat(5)")
	for _, stat := range []string{"", "42 (a) S 1", "42 (a) S 1 42 42 0 -1 4194560 1 0 0 0 x 50"} {
		_, err := parseProcessorTime([]byte(stat))
		require.Error(t, err, stat)
	}
	used, err = ProcessorTime(os.Getpid())
	require.NoError(t, err)
	require.GreaterOrEqual(t, used, time.Duration(0))
}
