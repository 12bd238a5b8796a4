package filter

import (
	"net/http"
	"sync"

	"k8s.io/apiserver/pkg/util/flowcontrol"
)

// serveWatch executes a watch that has its seats, which it gives back when its
// initial events are sent.
func (p *passage) serveWatch(w http.ResponseWriter, handler http.Handler) {
	p.Gauges.Executing(p.kind(), 1, p.ticket.Started())
	signal := &initialization{passage: *p, done: make(chan struct{})}
	defer signal.Signal()
	if forget := p.Watches.RegisterWatch(p.request); forget != nil {
		defer forget()
	}
	ctx := flowcontrol.WithInitializationSignal(p.request.Context(), signal)
	handler.ServeHTTP(w, p.request.WithContext(ctx))
}

// initialization ends the part of a watch that needs seats, see the package
// comment.
type initialization struct {
	once    sync.Once
	passage passage
	done    chan struct{}
}

var _ flowcontrol.InitializationSignal = (*initialization)(nil)

// Signal says that the initial events are sent. It may be called from any
// goroutine and any number of times; when it returns, the seats are free.
func (i *initialization) Signal() {
	i.once.Do(func() {
		defer close(i.done)
		i.passage.log("apf_init_latency", i.passage.finish())
		i.passage.ticket = nil // others may have it now
	})
}

// Wait waits for Signal.
func (i *initialization) Wait() { <-i.done }
