package scenario

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// shortest is the shortest time from an answer to what a client sends because of it, so
// that time passes even if nothing takes any.
const shortest = time.Microsecond

// worker sends a request, waits for its answer, and thinks.
type worker struct {
	identity
	*Workers

	again    *trace.Request // to repeat
	repeated int
}

var _ agent = (*worker)(nil)

// start spreads the first requests over a think time.
func (w *worker) start() (time.Duration, bool) {
	return w.from + time.Duration(w.random.Float64()*float64(w.ThinkTime.draw(w.random))), true
}

func (w *worker) send(time.Duration) (trace.Request, time.Duration, bool) {
	if w.again == nil {
		r := w.choose()
		w.again = &r
	}
	return *w.again, 0, false
}

func (w *worker) answer(now time.Duration, a Answer) (time.Duration, bool) {
	if after, repeat := w.Retries.wait(a, w.repeated); repeat {
		w.repeated++
		return now + after, true
	}
	w.again, w.repeated = nil, 0
	return now + max(shortest, w.ThinkTime.draw(w.random)), true
}
