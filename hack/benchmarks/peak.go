package main

import (
	"fmt"
	"os"
	"strconv"
)

// resetPeak resets a process's peak of resident memory to the current value.
// Linux does so when this digit is written, see proc_pid_clear_refs(5).
func resetPeak(pid int) error {
	if err := os.WriteFile("/proc/"+strconv.Itoa(pid)+"/clear_refs", []byte("5"), 0); err != nil {
		return fmt.Errorf("peak memory is measured by /proc, so on Linux only: %w", err)
	}
	return nil
}

// peakOf returns the peak since the last reset, in bytes.
func peakOf(pid int) (float64, error) { return processMemory(pid, "VmHWM") }
