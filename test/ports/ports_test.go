package ports

import (
	"net"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPortIsTheTestsUntilItEnds(t *testing.T) {
	var port int
	require.True(t, t.Run("a test with a port", func(t *testing.T) {
		port = Free(t, 1)[0]
		_, err := take(port)
		require.Error(t, err, "another test gets it")
		listener, err := net.Listen("tcp", Loopback(port))
		require.NoError(t, err)
		require.NoError(t, listener.Close())
	}))
	mark, err := take(port)
	require.NoError(t, err)
	require.NoError(t, mark.Close())
}

func TestPortOnWhichSomebodyListensIsNotTaken(t *testing.T) {
	listener, err := net.Listen("tcp", Loopback(0))
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	_, err = take(listener.Addr().(*net.TCPAddr).Port)
	require.Error(t, err)
}

// TestProcessesThatStartMeanwhileDoNotKeepThePort starts processes while ports are taken:
// a child has every open socket of its parent until it executes its program.
func TestProcessesThatStartMeanwhileDoNotKeepThePort(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	var starters sync.WaitGroup
	for range 4 {
		starters.Go(func() {
			for range 50 {
				_ = exec.CommandContext(t.Context(), program, "-test.run=^$").Run()
			}
		})
	}
	for range 2000 {
		port := Free(t, 1)[0]
		listener, err := net.Listen("tcp", Loopback(port))
		require.NoError(t, err)
		require.NoError(t, listener.Close())
	}
	starters.Wait()
}
