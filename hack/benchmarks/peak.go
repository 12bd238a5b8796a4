package main

import (
	"fmt"
	"os"
	"strconv"
)

// resetPeak makes a process's peak of resident memory begin at what it holds
// now. Linux does that on writing this digit, see proc_pid_clear_refs(5).
func resetPeak(pid int) error {
	if err := os.WriteFile("/proc/"+strconv.Itoa(pid)+"/clear_refs", []byte("5"), 0); err != nil {
		return fmt.Errorf("peak memory is measured by /proc, so on Linux only: %w", err)
	}
	return nil
}

// peakOf is the most that a process has held since, in bytes.
func peakOf(pid int) (float64, error) { return processMemory(pid, "VmHWM") }
