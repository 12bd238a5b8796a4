package faults

import (
	"net/http"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestMemoryAndFilesRunOut runs one server with an embedded etcd, whose memory is always
// above its limit, and takes its file descriptors away for a while.
func TestMemoryAndFilesRunOut(t *testing.T) {
	t.Parallel()
	process, s := startServer(t, harness.ServerOptions{
		Args: []string{"--authorization-rbac-file=" + fileOf(t, "rbac.yaml", workersRights)},
		Env:  []string{"GOMEMLIMIT=16MiB"},
	})
	goroutines := s.goroutines(t)
	s.goesOn(t, goroutines)
	eventually.Holds(t, "the limit is reached", func(a *eventually.Attempt) {
		require.Greater(a, s.metric(a, "go_memstats_sys_bytes ")-s.metric(a, "go_memstats_heap_released_bytes "), s.metric(a, "go_gc_gomemlimit_bytes "))
	})

	pid := process.Process.PID()
	var before unix.Rlimit
	require.NoError(t, unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &before))
	taken, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/fd")
	require.NoError(t, err)
	require.NoError(t, unix.Prlimit(pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(len(taken)), Max: before.Max}, nil))

	newcomer := s.newWorker(t)
	answers := make(chan error, 1)
	go func() {
		_, err := s.ask(t.Context(), newcomer, schemasPath+"/exempt")
		answers <- err
	}()
	require.NoError(t, process.Process.WaitOutput(t.Context(), "too many open files"), "the reason is said")
	answer, err := s.ask(t.Context(), s.http, schemasPath+"/exempt")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.Code, "clients that are connected are served")

	require.NoError(t, unix.Prlimit(pid, unix.RLIMIT_NOFILE, &before, nil))
	require.NoError(t, <-answers, "who waited for a connection is served")
	newcomer.CloseIdleConnections()
	s.goesOn(t, goroutines)
}
