package ports

import (
	"net"
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

func TestListenerIsOpenUntilTheTestEnds(t *testing.T) {
	var listener net.Listener
	require.True(t, t.Run("a test with a listener", func(t *testing.T) {
		listener = Listen(t)
		connection, err := net.Dial("tcp", listener.Addr().String())
		require.NoError(t, err)
		require.NoError(t, connection.Close())
	}))
	require.ErrorIs(t, listener.Close(), net.ErrClosed)
}
