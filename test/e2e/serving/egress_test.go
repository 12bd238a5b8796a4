package serving

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestEtcdIsReachedThroughTheEgressSelector starts a server that may reach etcd only through
// a proxy.
func TestEtcdIsReachedThroughTheEgressSelector(t *testing.T) {
	t.Parallel()
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	proxy := startProxy(t)
	startSite(t, harness.ServerOptions{Etcd: etcd, Args: []string{"--egress-selector-config-file=" + fileOf(t, "egress.yaml",
		`{"apiVersion": "apiserver.k8s.io/v1beta1", "kind": "EgressSelectorConfiguration", "egressSelections": [
			{"name": "etcd", "connection": {"proxyProtocol": "HTTPConnect", "transport": {"uds": {"udsName": "`+proxy.socket+`"}}}}]}`)}})
	_, address, _ := strings.Cut(etcd.URL, "://")
	require.Equal(t, address, proxy.last.Load())
}

// proxy is a proxy that understands CONNECT, at a socket.
type proxy struct {
	socket string
	last   atomic.Value // the last address that a client wanted, a string
}

func startProxy(t *testing.T) *proxy {
	t.Helper()
	p := &proxy{socket: filepath.Join(harness.ShortDir(t), "proxy")}
	listener, err := net.Listen("unix", p.socket)
	require.NoError(t, err)
	server := &http.Server{Handler: p}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return p
}

// ServeHTTP connects a client with the address that it wants.
func (p *proxy) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	p.last.Store(request.Host)
	backend, err := net.Dial("tcp", request.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer func() { _ = backend.Close() }()
	client, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = client.Close() }()
	_, _ = fmt.Fprint(client, "HTTP/1.1 200 OK\r\n\r\n")
	go func() { _, _ = io.Copy(backend, client); _ = backend.Close() }()
	_, _ = io.Copy(client, backend)
}
