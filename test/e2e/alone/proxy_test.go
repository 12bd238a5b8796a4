package alone

import (
	"io"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// behaviour is what a proxy does with what the target answers.
type behaviour int32

const (
	passes   behaviour = iota
	holds              // until the behaviour changes
	delays             // each piece for slowness
	breaks             // the connection
	distorts           // each byte
)

// slowness is how long a piece of an answer is delayed.
const slowness = 200 * time.Millisecond

// proxy passes connections on to a target, and makes faults of its answers.
type proxy struct {
	listener net.Listener
	target   string
	now      atomic.Int32
	seed     uint64
	// changed is closed when the behaviour changes.
	changed atomic.Pointer[chan struct{}]
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	p := &proxy{listener: ports.Listen(t), target: target, seed: lane.Seed(t)}
	changed := make(chan struct{})
	p.changed.Store(&changed)
	t.Cleanup(func() { p.become(breaks) })
	go func() {
		for {
			client, err := p.listener.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p
}

// become changes the behaviour.
func (p *proxy) become(b behaviour) {
	p.now.Store(int32(b))
	next := make(chan struct{})
	close(*p.changed.Swap(&next))
}

func (p *proxy) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() {
		_, _ = io.Copy(server, client) // an end of either connection ends both
		_ = server.Close()
	}()
	p.answer(client, server)
}

// answer passes on what the target answers.
func (p *proxy) answer(client io.Writer, server io.Reader) {
	random := rand.New(rand.NewPCG(p.seed, 0))
	piece := make([]byte, 32<<10)
	for {
		n, err := server.Read(piece)
		if err != nil {
			return
		}
		changed := *p.changed.Load()
		switch behaviour(p.now.Load()) {
		case holds:
			<-changed
		case delays:
			<-time.After(slowness)
		case breaks:
			return
		case distorts:
			for i := range piece[:n] {
				piece[i] = byte(random.Uint32())
			}
		case passes:
		}
		if _, err := client.Write(piece[:n]); err != nil {
			return
		}
	}
}
