package simulate

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

const (
	// lookahead is by how much a client may be faster than in the trace.
	lookahead = time.Minute
	// retryAfter is after how long a rejected request is sent again, maxAttempts how often
	// it is sent at most.
	retryAfter  = time.Second
	maxAttempts = 11
)

// closedLoop is the clients of a trace that wait for their answers.
type closedLoop struct {
	simulation *simulation
	clients    map[clientKey]*client
	last       time.Duration // arrival of the last request in the trace
	planned    int64         // requests that were not sent yet
	leftOut    int64         // requests that were rejected in the trace
	stopped    bool
}

// clientKey identifies a client.
type clientKey struct{ user, client string }

// client is a client with its workers.
type client struct{ workers []*worker }

// worker sends one request after the other.
type worker struct {
	busyUntil time.Duration // in the trace
	rejected  *plan         // in the trace, and not repeated yet
	endedAt   time.Duration // of its last request, in the simulation
	busy      bool          // in the simulation, which includes thinking
	plans     []*plan
}

// plan is a request that a worker is going to send.
type plan struct {
	worker   *worker
	request  trace.Request
	service  time.Duration
	think    time.Duration // after the end of the previous one; of a worker's first, since the beginning
	attempts int
}

func newClosedLoop(s *simulation) *closedLoop {
	return &closedLoop{simulation: s, clients: map[clientKey]*client{}}
}

// plan gives a request of the trace to a worker.
func (l *closedLoop) plan(r *trace.Request, at time.Duration) {
	l.last = at
	key := clientKey{r.User, r.Client}
	c := l.clients[key]
	if c == nil {
		c = &client{}
		l.clients[key] = c
	}
	p := c.next(at)
	w := p.worker
	if r.Rejected != "" {
		// The worker is busy until it repeats the request.
		l.leftOut++
		w.rejected, w.busyUntil = p, at+retryAfter
		return
	}
	p.request, p.service = *r, l.simulation.services.of(r)
	wait := time.Duration(0)
	if r.Wait != nil {
		wait = r.Wait.Duration
	}
	took, known := recorded(r)
	if !known {
		took = p.service
	}
	w.busyUntil = at + wait + took
	w.plans = append(w.plans, p)
	l.planned++
	if !w.busy {
		l.start(w)
	}
}

// next returns a plan of the worker that sends a request in the trace at this time: the
// one that became idle last, or a new one. If it repeats what was rejected, it had thought
// before it sent that for the first time.
func (c *client) next(at time.Duration) *plan {
	w := c.workerAt(at)
	switch {
	case w == nil:
		w = &worker{}
		c.workers = append(c.workers, w)
		return &plan{worker: w, think: at}
	case w.rejected != nil:
		p := w.rejected
		w.rejected = nil
		return p
	default:
		return &plan{worker: w, think: at - w.busyUntil}
	}
}

// workerAt returns the worker that became idle last in the trace, nil if none is idle.
func (c *client) workerAt(at time.Duration) *worker {
	var best *worker
	for _, w := range c.workers {
		if w.busyUntil <= at && (best == nil || w.busyUntil > best.busyUntil) {
			best = w
		}
	}
	return best
}

// start makes an idle worker send its next request when it has thought.
func (l *closedLoop) start(w *worker) {
	if len(w.plans) == 0 {
		return
	}
	p := w.plans[0]
	w.plans[0] = nil
	w.plans = w.plans[1:]
	w.busy = true
	l.simulation.line.after(w.endedAt+p.think-l.simulation.line.now, func() { l.send(p) })
}

func (l *closedLoop) send(p *plan) {
	if l.stopped {
		return
	}
	if p.attempts++; p.attempts == 1 {
		l.planned--
	}
	l.simulation.send(&p.request, p.service, p)
}

// ended is called when a request has ended or was rejected.
func (l *closedLoop) ended(p *plan, rejected bool) {
	if rejected && p.attempts < maxAttempts {
		l.simulation.line.after(retryAfter, func() { l.send(p) })
		return
	}
	p.worker.busy, p.worker.endedAt = false, l.simulation.line.now
	l.start(p.worker)
}

// stop makes clients send nothing more, and returns how many requests were not sent.
func (l *closedLoop) stop() int64 {
	l.stopped = true
	return l.planned
}
