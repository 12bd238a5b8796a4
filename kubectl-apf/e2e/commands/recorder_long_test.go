//go:build long

package commands_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// recorder passes requests on to kube-apiserver, and writes them down. In place of a kubelet
// it answers streams.
type recorder struct {
	*httptest.Server
	t     *testing.T
	proxy *httputil.ReverseProxy

	mu       sync.Mutex // guards what follows
	requests []string
	onWatch  func(name string) // called before a watch of a name is passed on
	onStream func()            // called when ports are forwarded
}

func newRecorder(t *testing.T, server *harness.KubeAPIServer) *recorder {
	t.Helper()
	to, err := url.Parse(server.URL)
	require.NoError(t, err)
	transport, err := rest.TransportFor(server.Config(t))
	require.NoError(t, err)
	r := &recorder{t: t, proxy: &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) },
	}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// begin forgets the requests.
func (r *recorder) begin(onWatch func(string), onStream func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests, r.onWatch, r.onStream = nil, onWatch, onStream
}

// recorded returns the requests, sorted. Of a request that was repeated, one remains.
func (r *recorder) recorded() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	slices.Sort(r.requests)
	for i, request := range r.requests {
		if i >= 2 && r.requests[i-1] == request && r.requests[i-2] == request {
			out = slices.DeleteFunc(out, func(one string) bool { return one == request })
		}
		out = append(out, request)
	}
	return out
}

// ServeHTTP implements http.Handler.
func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	r.requests = append(r.requests, text(r.t, request.Method, request.URL))
	onWatch, onStream := r.onWatch, r.onStream
	r.mu.Unlock()
	if websocket.IsWebSocketUpgrade(request) {
		r.serveStream(w, request, onStream)
		return
	}
	if query := request.URL.Query(); query.Get("watch") != "" {
		onWatch(strings.TrimPrefix(query.Get("fieldSelector"), "metadata.name="))
	}
	r.proxy.ServeHTTP(w, request)
}

// serveStream ends a command in a container with success.
func (r *recorder) serveStream(w http.ResponseWriter, request *http.Request, onStream func()) {
	upgrader := websocket.Upgrader{Subprotocols: websocket.Subprotocols(request)}
	stream, err := upgrader.Upgrade(w, request, nil)
	if !assert.NoError(r.t, err) {
		return
	}
	defer func() { _ = stream.Close() }()
	if strings.HasSuffix(request.URL.Path, "/portforward") {
		onStream()
		return
	}
	_ = stream.WriteMessage(websocket.BinaryMessage, append([]byte{3}, `{"metadata":{},"status":"Success"}`...))
	_ = stream.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""))
}
