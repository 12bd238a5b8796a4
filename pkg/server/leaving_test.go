package server

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

const leavingSchemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"

// leavingBody is a part of a flow schema.
const leavingBody = `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":"le`

// way is how far a client gets before it leaves.
type way struct {
	name, method, path string
	// body is what it sends of a body of 1,000 bytes; empty: it sends no body.
	body string
	// headers is what it sends of its headers, if that is not all.
	headers int
	// meanwhile is called when it has sent all that, before it leaves.
	meanwhile func(t *testing.T)
}

// leaver is a client that leaves.
type leaver interface {
	send(w way) error
	leave() error
}

// TestClientsThatLeaveAreNoFailuresOfTheServer is about a client that reset its connection
// while it sent a body, which was counted as a 500 and logged. Each client is another
// connection; the server runs in here, so all takes a few seconds.
func TestClientsThatLeaveAreNoFailuresOfTheServer(t *testing.T) {
	s := runServer(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	s.apiserver.Handler.NonGoRestfulMux.HandleFunc("/openapi/leaving", func(w http.ResponseWriter, _ *http.Request) {
		entered <- struct{}{}
		<-leave
		_, _ = w.Write(bytes.Repeat([]byte("x"), 1<<20))
	})
	reached := func(t *testing.T) {
		select {
		case <-entered:
		case <-t.Context().Done():
			t.Error("the handler was not reached")
		}
	}
	log := keepLog(t)
	before := failures(t)
	for _, w := range []way{
		{name: "while it sends headers", method: http.MethodGet, path: leavingSchemas, headers: 10},
		{name: "before it sends a body", method: http.MethodPost, path: leavingSchemas, body: " "},
		{name: "while it sends the body of a create", method: http.MethodPost, path: leavingSchemas, body: leavingBody},
		{name: "while it sends the body of an update", method: http.MethodPut, path: leavingSchemas + "/catch-all", body: leavingBody},
		{name: "while it sends the body of a patch", method: http.MethodPatch, path: leavingSchemas + "/catch-all", body: leavingBody},
		{name: "while it sends the body of a delete", method: http.MethodDelete, path: leavingSchemas + "/leaving", body: leavingBody},
		{name: "while it sends the body of a delete of all", method: http.MethodDelete, path: leavingSchemas + "?labelSelector=leaving", body: leavingBody},
		{name: "while its request executes", method: http.MethodGet, path: "/openapi/leaving", meanwhile: reached},
		{name: "while it reads a list", method: http.MethodGet, path: leavingSchemas},
		{name: "while it watches", method: http.MethodGet, path: leavingSchemas + "?watch=true"},
		{name: "while it watches from a list", method: http.MethodGet, path: leavingSchemas + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"},
	} {
		for protocol, connect := range map[string]func(*testing.T, *Server) leaver{
			"HTTP/1.1, reset": connectHTTP1, "HTTP/1.1, closed": connectClosing, "HTTP/2, killed": connectHTTP2, "HTTP/2, RST_STREAM": connectStream,
		} {
			t.Run(w.name+", "+protocol, func(t *testing.T) {
				client := connect(t, s)
				require.NoError(t, client.send(w))
				if w.meanwhile != nil {
					w.meanwhile(t)
				}
				require.NoError(t, client.leave())
				if w.meanwhile != nil {
					leave <- struct{}{}
				}
				eventually.Holds(t, "nothing is under way", func(a *eventually.Attempt) {
					for _, level := range s.flowControl.Engine().Report().Levels {
						require.Zero(a, level.Figures.SeatsInUse, level.Config.Name)
					}
				})
				require.Equal(t, before, failures(t))
			})
		}
	}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "] [core] ") {
			continue // gRPC, about connections to etcd
		}
		require.Contains(t, "I", line[:1], "logged: %s", line)
	}
	require.NotContains(t, log.String(), "http2:")
}

// keepLog returns what is logged at the default verbosity until the test ends.
func keepLog(t *testing.T) fmt.Stringer {
	t.Helper()
	state := klog.CaptureState()
	t.Cleanup(state.Restore)
	log := &syncBuffer{}
	klog.LogToStderr(false)
	klog.SetOutput(log)
	return log
}

// syncBuffer is a buffer that is safe for concurrent use.
type syncBuffer struct {
	mu     sync.Mutex // guards buffer
	buffer bytes.Buffer
}

func (b *syncBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(text)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// sum adds the values of a metric whose labels all are accepted.
func sum(t require.TestingT, metric string, accept func(labels map[string]string) bool) (total float64) {
	families, err := legacyregistry.DefaultGatherer.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() != metric {
			continue
		}
		for _, each := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range each.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if accept(labels) {
				total += each.GetCounter().GetValue() + each.GetGauge().GetValue()
			}
		}
	}
	return total
}

// failures counts the requests that were answered with a server error, or ended by one.
func failures(t require.TestingT) float64 {
	server := func(labels map[string]string) bool { return strings.HasPrefix(labels["code"], "5") }
	return sum(t, "apiserver_request_total", server) + sum(t, "apiserver_request_terminations_total", server)
}

// connection is a connection of a client that leaves.
type connection struct {
	*tls.Conn
	config *rest.Config
}

// connect connects to a server by a protocol of TLS.
func connect(t *testing.T, s *Server, protocol string) *connection {
	t.Helper()
	config := s.LoopbackClientConfig()
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(config.CAData))
	address, err := url.Parse(config.Host)
	require.NoError(t, err)
	dialer := tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, ServerName: config.ServerName, NextProtos: []string{protocol}}}
	conn, err := dialer.DialContext(t.Context(), "tcp", address.Host)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return &connection{Conn: conn.(*tls.Conn), config: config}
}

// awaitAnswer waits for the first byte of the answer to a request that has all it needs.
func (c *connection) awaitAnswer(w way) error {
	if w.body != "" || w.headers > 0 || w.meanwhile != nil {
		return nil
	}
	_, err := c.Read(make([]byte, 1))
	return err
}

// http1 sends a request by HTTP/1.1, and leaves by a reset of TCP.
type http1 struct{ *connection }

func connectHTTP1(t *testing.T, s *Server) leaver { return http1{connect(t, s, "http/1.1")} }

func (c http1) send(w way) error {
	text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n", w.method, w.path, c.config.BearerToken)
	if w.method == http.MethodPatch {
		text = strings.Replace(text, "application/json", "application/merge-patch+json", 1)
	}
	if w.body != "" {
		text += "Content-Length: 1000\r\n"
	}
	text += "\r\n" + w.body
	if w.headers > 0 {
		text = text[:w.headers]
	}
	if _, err := io.WriteString(c, text); err != nil {
		return err
	}
	return c.awaitAnswer(w)
}

func (c http1) leave() error {
	tcp := c.NetConn().(*net.TCPConn)
	if err := tcp.SetLinger(0); err != nil {
		return err
	}
	return tcp.Close()
}

// closing is http1 that leaves by a FIN, as a client that exits.
type closing struct{ http1 }

func connectClosing(t *testing.T, s *Server) leaver { return closing{http1{connect(t, s, "http/1.1")}} }

func (c closing) leave() error { return c.NetConn().Close() }

// http2Client sends a request by HTTP/2, and leaves by the end of its connection, as a
// client that is killed.
type http2Client struct {
	*connection
	framer *http2.Framer
}

func connectHTTP2(t *testing.T, s *Server) leaver { return dialStream(t, s) }

func dialStream(t *testing.T, s *Server) http2Client {
	c := connect(t, s, "h2")
	return http2Client{c, http2.NewFramer(c, bufio.NewReader(c))}
}

func (c http2Client) send(w way) error {
	if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
		return err
	}
	if err := c.framer.WriteSettings(); err != nil {
		return err
	}
	var headers bytes.Buffer
	encoder := hpack.NewEncoder(&headers)
	fields := [][2]string{{":method", w.method}, {":scheme", "https"}, {":authority", "x"}, {":path", w.path},
		{"authorization", "Bearer " + c.config.BearerToken}, {"content-type", "application/json"}}
	if w.method == http.MethodPatch {
		fields[5][1] = "application/merge-patch+json"
	}
	for _, field := range fields {
		if err := encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}); err != nil {
			return err
		}
	}
	block := headers.Bytes()
	if w.headers > 0 {
		block = block[:w.headers]
	}
	err := c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block, EndStream: w.body == "", EndHeaders: w.headers == 0})
	if err == nil && w.body != "" {
		err = c.framer.WriteData(1, false, []byte(w.body))
	}
	for err == nil && w.body == "" && w.headers == 0 && w.meanwhile == nil {
		var frame http2.Frame
		if frame, err = c.framer.ReadFrame(); err == nil && frame.Header().Type == http2.FrameHeaders {
			return nil
		}
	}
	return err
}

func (c http2Client) leave() error { return c.NetConn().Close() }

// stream leaves by RST_STREAM, or, within its headers, by another frame, which ends the
// connection.
type stream struct{ http2Client }

func connectStream(t *testing.T, s *Server) leaver { return stream{dialStream(t, s)} }

func (c stream) leave() error { return c.framer.WriteRSTStream(1, http2.ErrCodeCancel) }
