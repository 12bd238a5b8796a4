package faults

import (
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
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

	// A file may have been closed since they were counted: connections use up the rest.
	var connections []net.Conn
	t.Cleanup(func() {
		for _, connection := range connections {
			_ = connection.Close()
		}
	})
	eventually.Holds(t, "the reason is said", func(a *eventually.Attempt) {
		connection, err := (&net.Dialer{}).DialContext(a.Context(), "tcp", strings.TrimPrefix(s.url, "https://"))
		require.NoError(a, err)
		connections = append(connections, connection)
		require.Contains(a, process.Process.Output(), "too many open files")
	})
	newcomer := s.newWorker(t)
	answers := make(chan error, 1)
	go func() {
		_, err := s.ask(t.Context(), newcomer, schemasPath+"/exempt")
		answers <- err
	}()
	answer, err := s.ask(t.Context(), s.http, schemasPath+"/exempt")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.Code, "clients that are connected are served")

	require.NoError(t, unix.Prlimit(pid, unix.RLIMIT_NOFILE, &before, nil))
	require.NoError(t, <-answers, "who waited for a connection is served")
	newcomer.CloseIdleConnections()
	s.goesOn(t, goroutines)
}
