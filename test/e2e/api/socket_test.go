package api

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"

	"github.com/gorilla/websocket"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// socketTheme tests watches over WebSocket.
func socketTheme() theme {
	return theme{"WebSocket", []testCase{
		{
			name: "a watch over WebSocket", proves: []string{"watch.websocket"},
			steps: []step{
				openSocket("w", watch("resourceVersion=<before>")), openSocket("s", watch("resourceVersion=0&labelSelector=team")),
				post("prioritylevelconfigurations", labelled(level("a", 1), "team=red")), remove("prioritylevelconfigurations/a", ""),
				read("w", 2).saying("ADDED", "DELETED"), read("s", 2).saying("ADDED", "DELETED"),
				openSocket("t", watch("timeoutSeconds=5&resourceVersion=<before>")), read("t", toEnd).saying("ADDED", "DELETED"),
			},
		},
	}}
}

// openSocket starts a watch over WebSocket; read reads its events.
func openSocket(name, path string) step {
	s := open(name, path)
	s.socket, s.code = true, http.StatusSwitchingProtocols
	return s
}

// socketStream is a watch over WebSocket.
type socketStream struct{ connection *websocket.Conn }

var _ events = socketStream{}

// dial opens a watch over WebSocket as the administrator.
func (s *side) dial(ctx context.Context, path string) (socketStream, answer, error) {
	security, err := rest.TLSConfigFor(s.config)
	if err != nil {
		return socketStream{}, answer{}, err
	}
	if security == nil {
		security = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	security.NextProtos = []string{"http/1.1"} // HTTP/2 has no Upgrade header
	header := http.Header{"Origin": {s.url}}
	if s.config.BearerToken != "" {
		header.Set("Authorization", "Bearer "+s.config.BearerToken)
	}
	dialer := websocket.Dialer{TLSClientConfig: security, HandshakeTimeout: eventually.Grace}
	connection, response, err := dialer.DialContext(ctx, strings.Replace(s.url, "https", "wss", 1)+path, header)
	if err != nil {
		return socketStream{}, answer{}, fmt.Errorf("%s: %w", s.name, err)
	}
	defer func() { _ = response.Body.Close() }()
	response.Header.Del("Sec-WebSocket-Accept") // depends on a random key
	return socketStream{connection}, answer{code: response.StatusCode, header: response.Header}, nil
}
