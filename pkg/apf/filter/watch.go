package filter

import (
	"net/http"
	"sync/atomic"
	"time"

	"k8s.io/apiserver/pkg/util/flowcontrol"
)

// serveWatch executes a watch that has its seats.
func (r *request) serveWatch(w http.ResponseWriter, handler http.Handler) {
	r.annotate(Executed)
	r.Gauges.Executing(r.kind(), 1, r.apf.Started())
	signal := &initializationSignal{request: *r, done: make(chan struct{})}
	defer signal.Signal()
	defer r.engine.AfterFunc(r.requestTimeout(), signal.Signal).Stop()
	if forget := r.Watches.RegisterWatch(r.http); forget != nil {
		defer forget()
	}
	ctx := flowcontrol.WithInitializationSignal(r.http.Context(), signal)
	handler.ServeHTTP(w, r.http.WithContext(ctx))
}

// requestTimeout is how long a request may execute that is no watch. A watch
// that has not been initialized by then gives its seats back: it may hang for as long as its
// client stays, while its watch cache cannot be filled.
func (r *request) requestTimeout() time.Duration { return 4 * r.WaitLimit }

// initializationSignal releases the seats of a watch after its initial events, see
// the package comment.
type initializationSignal struct {
	called  atomic.Bool
	request request
	done    chan struct{}
}

var _ flowcontrol.InitializationSignal = (*initializationSignal)(nil)

// Signal implements flowcontrol.InitializationSignal. It may be called from any
// goroutine, any number of times, by what the first call wakes too. When that returns, the seats are
// free.
func (s *initializationSignal) Signal() {
	if s.called.Swap(true) {
		return
	}
	defer close(s.done)
	s.request.log("apf_init_latency", s.request.finish())
	s.request.apf = nil // it is in the pool now
}

// Wait implements flowcontrol.InitializationSignal.
func (s *initializationSignal) Wait() { <-s.done }
