package measurement

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
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

// ProcessorTime returns the processor time that a process has used. Only Linux has it.
func ProcessorTime(pid int) (time.Duration, error) {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, fmt.Errorf("processor time is read from /proc, so on Linux only: %w", err)
	}
	return parseProcessorTime(content)
}

// parseProcessorTime adds utime and stime of proc_pid_stat(5), which counts them in ticks of
// USER_HZ: 100 a second on all machines that Go runs on.
func parseProcessorTime(stat []byte) (time.Duration, error) {
	const state, utime, stime = 3, 14, 15
	name := bytes.LastIndexByte(stat, ')') // the end of the second field, which may hold blanks
	fields := bytes.Fields(stat[name+1:])
	if len(fields) <= stime-state {
		return 0, fmt.Errorf("%q is no /proc/PID/stat", stat)
	}
	user, err := strconv.ParseInt(string(fields[utime-state]), 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(string(fields[stime-state]), 10, 64)
	return time.Duration(user+system) * (time.Second / 100), err
}

// ResetPeak resets a process's peak of resident memory to the current value. Linux does so
// when this digit is written, see proc_pid_clear_refs(5).
func ResetPeak(pid int) error {
	if err := os.WriteFile("/proc/"+strconv.Itoa(pid)+"/clear_refs", []byte("5"), 0); err != nil {
		return fmt.Errorf("peak memory is measured by /proc, so on Linux only: %w", err)
	}
	return nil
}
