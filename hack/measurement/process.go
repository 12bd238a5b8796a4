package measurement

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ProcessMemory returns a field of /proc/PID/status in bytes: VmRSS is the resident memory
// of a process, VmHWM its peak since the start or the last ResetPeak. Only Linux has it.
func ProcessMemory(pid int, field string) (float64, error) {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, fmt.Errorf("memory is read from /proc, so on Linux only: %w", err)
	}
	return parseMemory(content, field)
}

func parseMemory(status []byte, field string) (float64, error) {
	lines := bufio.NewScanner(bytes.NewReader(status))
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), field+":"); ok {
			kibibytes, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(value, "kB")), 64)
			return kibibytes * 1024, err
		}
	}
	return 0, fmt.Errorf("no %s in %q: the process has ended", field, status)
}

// ResetPeak resets a process's peak of resident memory to the current value. Linux does so
// when this digit is written, see proc_pid_clear_refs(5).
func ResetPeak(pid int) error {
	if err := os.WriteFile("/proc/"+strconv.Itoa(pid)+"/clear_refs", []byte("5"), 0); err != nil {
		return fmt.Errorf("peak memory is measured by /proc, so on Linux only: %w", err)
	}
	return nil
}
