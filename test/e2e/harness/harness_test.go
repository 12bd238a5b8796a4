package harness

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

func TestFailedTestGetsTheOutputOfItsProcesses(t *testing.T) {
	owner := &recorder{TB: t}
	p := StartProcess(owner, Command{Path: "/bin/sh", Args: []string{"-c", "echo the reason"}})
	<-p.Done()
	require.Equal(t, "started sh", owner.log)
	owner.failed = true
	owner.cleanup()
	require.Contains(t, owner.log, "the reason")
	require.Contains(t, owner.log, p.output)
	require.FileExists(t, p.output)

	owner.failed, owner.log = false, ""
	owner.cleanup()
	require.Empty(t, owner.log, "a test that passed is left alone")
	require.NoFileExists(t, p.output)
}

// recorder is a TB whose failure and cleanup the test controls.
type recorder struct {
	TB
	failed  bool
	log     string
	cleanup func()
}

func (r *recorder) Failed() bool            { return r.failed }
func (r *recorder) Logf(f string, a ...any) { r.log += fmt.Sprintf(f, a...) }
func (r *recorder) Cleanup(cleanup func())  { r.cleanup = cleanup }

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
