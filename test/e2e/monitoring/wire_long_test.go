//go:build long

package monitoring

import (
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// wire is a proxy in front of etcd that delays its answers.
type wire struct {
	address, target string
	delay           atomic.Int64 // of each answer, in nanoseconds
}

func newWire(t *testing.T, target string) *wire {
	t.Helper()
	w := &wire{address: fmt.Sprintf("127.0.0.1:%d", harness.FreePorts(t, 1)[0]), target: target}
	listener, err := net.Listen("tcp", w.address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go w.forward(client)
		}
	}()
	return w
}

func (w *wire) forward(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", w.target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() {
		_, _ = io.Copy(server, client) // ends with the connections
		_ = server.Close()
	}()
	w.answer(client, server)
}

// piece is a part of an answer, and when it may arrive.
type piece struct {
	content []byte
	due     time.Time
}

// answer copies answers, each as late as the delay says. Pieces under way do not wait for
// each other.
func (w *wire) answer(client io.Writer, server io.Reader) {
	pieces := make(chan piece, 1000)
	go func() {
		defer close(pieces)
		for {
			content := make([]byte, 32<<10)
			n, err := server.Read(content)
			if err != nil {
				return
			}
			pieces <- piece{content[:n], time.Now().Add(time.Duration(w.delay.Load()))}
		}
	}()
	for piece := range pieces {
		<-time.After(time.Until(piece.due))
		if _, err := client.Write(piece.content); err != nil {
			break
		}
	}
	for range pieces { // until the reader ends
	}
}
