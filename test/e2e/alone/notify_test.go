package alone

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestServerNotifiesSystemd is what Type=notify in the systemd unit depends on.
func TestServerNotifiesSystemd(t *testing.T) {
	path := filepath.Join(harness.ShortDir(t), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	require.NoError(t, err)
	defer func() { require.NoError(t, socket.Close()) }()
	harness.StartServer(t, harness.ServerOptions{Env: []string{"NOTIFY_SOCKET=" + path}})

	require.NoError(t, socket.SetReadDeadline(time.Now().Add(eventually.Grace)))
	message := make([]byte, 64)
	length, err := socket.Read(message)
	require.NoError(t, err)
	require.Equal(t, "READY=1\n", string(message[:length]))
}
