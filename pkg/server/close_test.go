package server

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/leaks"
)

// A program may close a server that it never ran, as after an error of another part.
func TestAServerThatIsClosedWithoutRunLeavesNoGoroutine(t *testing.T) {
	open := func() {
		listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
		require.NoError(t, err)
		config := NewConfig()
		config.DataDir = filepath.Join(t.TempDir(), "data")
		config.SecureServing.Listener = listener
		s, err := New(context.Background(), config.Complete())
		require.NoError(t, err)
		s.Close()
	}
	open() // what lasts for the process starts with the first server
	defer leaks.None(t)()
	open()
}
