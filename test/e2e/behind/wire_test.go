package behind

import (
	"fmt"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// wire forwards connections to a target until it is cut. Its address stays
// reserved while it is cut.
type wire struct {
	address, target string

	mu       sync.Mutex   // guards the fields below
	listener net.Listener // nil while the wire is cut
	ends     map[net.Conn]bool
}

func newWire(t *testing.T, target string) *wire {
	t.Helper()
	w := &wire{address: fmt.Sprintf("127.0.0.1:%d", harness.FreePorts(t, 1)[0]), target: target, ends: map[net.Conn]bool{}}
	w.mend(t)
	t.Cleanup(w.cut)
	return w
}

// mend accepts connections.
func (w *wire) mend(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", w.address)
	require.NoError(t, err)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listener = listener
	go w.accept(listener)
}

// cut closes all connections and accepts no new ones.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listener != nil {
		_ = w.listener.Close()
	}
	w.listener = nil
	for end := range w.ends {
		_ = end.Close()
	}
	clear(w.ends)
}

func (w *wire) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", w.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		if !w.keep(listener, client, server) {
			_ = client.Close()
			_ = server.Close()
			return
		}
		go w.copy(client, server)
		go w.copy(server, client)
	}
}

// keep registers connections and reports whether the listener is still in use. A
// connection that was accepted just before a cut must not outlive it.
func (w *wire) keep(listener net.Listener, ends ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listener != listener {
		return false
	}
	for _, end := range ends {
		w.ends[end] = true
	}
	return true
}

// copy copies in one direction and closes both connections.
func (w *wire) copy(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_ = to.Close()
	_ = from.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.ends, to)
	delete(w.ends, from)
}
