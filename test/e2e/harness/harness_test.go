package harness

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// deadParent is the environment variable that turns the test binary into a parent.
// The parent starts a child, writes its process ID, and dies without cleanup.
const deadParent = "HARNESS_TEST_DEAD_PARENT"

func TestChildOfAKilledTestProcessDies(t *testing.T) {
	if os.Getenv(deadParent) != "" {
		p := StartProcess(t, Command{Path: "tail", Args: []string{"-f", "/dev/null"}})
		writeFile(t, os.Getenv(deadParent), []byte(strconv.Itoa(p.PID())))
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	file := filepath.Join(t.TempDir(), "pid")
	parent := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	parent.Env = append(os.Environ(), deadParent+"="+file)
	require.ErrorContains(t, parent.Run(), "killed")

	content, err := os.ReadFile(file)
	require.NoError(t, err)
	pid, err := strconv.Atoi(string(content))
	require.NoError(t, err)
	eventually.Holds(t, "the child of a dead parent has ended", func(a *eventually.Attempt) {
		require.True(a, gone(pid), "process %d outlived its parent", pid)
	})
}

// gone reports whether a process has ended; a zombie counts as ended.
func gone(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	afterName := stat[bytes.LastIndexByte(stat, ')')+1:]
	return bytes.HasPrefix(bytes.TrimSpace(afterName), []byte("Z"))
}
