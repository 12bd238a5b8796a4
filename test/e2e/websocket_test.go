package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// webSocket is a WebSocket connection as the administrator.
type webSocket struct{ connection *websocket.Conn }

func dialWebSocket(t *testing.T, s *site, path string) webSocket {
	t.Helper()
	security, err := rest.TLSConfigFor(s.Config(t))
	require.NoError(t, err)
	security.NextProtos = []string{"http/1.1"} // HTTP/2 has no upgrade
	dialer := websocket.Dialer{TLSClientConfig: security, HandshakeTimeout: grace}
	connection, response, err := dialer.DialContext(t.Context(), strings.Replace(s.URL, "https", "wss", 1)+path, http.Header{"Origin": {s.URL}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	_ = response.Body.Close()
	return webSocket{connection}
}

// message is the next one, which must come.
func (w webSocket) message(t *testing.T) []byte {
	t.Helper()
	require.NoError(t, w.connection.SetReadDeadline(time.Now().Add(grace)))
	_, content, err := w.connection.ReadMessage()
	require.NoError(t, err)
	return content
}
