//go:build long

package monitoring

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// gate is a proxy between this server and kube-apiserver.
type gate struct {
	address string // reserved while the gate is closed
	pair    harness.Pair
	proxy   *httputil.ReverseProxy
	server  *http.Server

	mu sync.Mutex // guards what follows
	// ahead is added to the time of answers, delay to the duration of reviews.
	ahead, delay time.Duration
	// failing is the part of a path whose requests fail; empty: none.
	failing string
}

func newGate(t *testing.T, kube *harness.KubeAPIServer) *gate {
	t.Helper()
	target, err := url.Parse(kube.URL)
	require.NoError(t, err)
	g := &gate{address: fmt.Sprintf("127.0.0.1:%d", harness.FreePorts(t, 1)[0]), pair: kube.ClientCA.Server(t, "gate")}
	g.proxy = httputil.NewSingleHostReverseProxy(target)
	g.proxy.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: kube.ClientCA.Pool()}}
	g.proxy.FlushInterval = -1
	g.proxy.ErrorLog = log.New(io.Discard, "", 0)
	g.proxy.ModifyResponse = func(response *http.Response) error {
		g.mu.Lock()
		defer g.mu.Unlock()
		response.Header.Set("Date", time.Now().Add(g.ahead).UTC().Format(http.TimeFormat))
		return nil
	}
	g.open(t)
	t.Cleanup(g.close)
	return g
}

// ServeHTTP forwards a request, unless it is to fail.
func (g *gate) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	g.mu.Lock()
	delay, failing := g.delay, g.failing
	g.mu.Unlock()
	if failing != "" && strings.Contains(request.URL.Path, failing) {
		http.Error(w, "it fails", http.StatusInternalServerError)
		return
	}
	if strings.HasSuffix(request.URL.Path, "reviews") {
		select {
		case <-time.After(delay):
		case <-request.Context().Done():
			return
		}
	}
	g.proxy.ServeHTTP(w, request)
}

// set changes the fields that the mutex guards.
func (g *gate) set(change func(*gate)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(g)
}

func (g *gate) open(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", g.address)
	require.NoError(t, err)
	server := &http.Server{Handler: g, ErrorLog: log.New(io.Discard, "", 0)}
	g.server = server
	go func() { _ = server.ServeTLS(listener, g.pair.CertFile, g.pair.KeyFile) }()
}

// close accepts no connections, and ends open ones.
func (g *gate) close() { _ = g.server.Close() }

// kubeconfig writes a kubeconfig that leads through the gate.
func (g *gate) kubeconfig(t *testing.T, kube *harness.KubeAPIServer) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	write(t, file, "apiVersion: v1\nkind: Config\nclusters:\n- {name: gate, cluster: {server: 'https://"+g.address+"', insecure-skip-tls-verify: true}}\n"+
		"users: [{name: server, user: {token: "+kube.Config(t).BearerToken+"}}]\ncontexts:\n- {name: gate, context: {cluster: gate, user: server}}\ncurrent-context: gate\n")
	return file
}
