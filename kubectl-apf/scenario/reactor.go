package scenario

import (
	"math/rand/v2"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// backlog is the reactions that the workers of a controller have to do.
type backlog struct {
	delay  Distribution
	random *rand.Rand
	// ready are when reactions may begin that wait for a worker, in the order of addition.
	ready []time.Duration
	idle  []int // workers
}

// add adds a reaction. If ok, this worker begins it at that time.
func (b *backlog) add(now time.Duration) (at time.Duration, worker int, ok bool) {
	at = now + max(shortest, b.delay.draw(b.random))
	if len(b.idle) == 0 {
		b.ready = append(b.ready, at)
		return 0, 0, false
	}
	worker, b.idle = b.idle[0], b.idle[1:]
	return at, worker, true
}

// next returns when a worker that is done begins its next reaction; if ok is false, it is
// idle.
func (b *backlog) next(now time.Duration, worker int) (at time.Duration, ok bool) {
	if len(b.ready) == 0 {
		b.idle = append(b.idle, worker)
		return 0, false
	}
	at, b.ready = max(now, b.ready[0]), b.ready[1:]
	return at, true
}

// reactor is a worker of a controller. It sends the requests of a reaction one after the
// other. A reaction ends early if a request is given up.
type reactor struct {
	identity
	*Controller

	backlog  *backlog
	number   int // of the agent
	done     int // requests of this reaction
	again    *trace.Request
	repeated int
}

var _ agent = (*reactor)(nil)

func (r *reactor) start() (time.Duration, bool) { return 0, false }

func (r *reactor) send(time.Duration) (trace.Request, time.Duration, bool) {
	if r.again == nil {
		request := r.build(&r.requests[r.done])
		r.again = &request
	}
	return *r.again, 0, false
}

func (r *reactor) answer(now time.Duration, a Answer) (time.Duration, bool) {
	if after, repeat := r.Retries.wait(a, r.repeated); repeat {
		r.repeated++
		return now + after, true
	}
	r.again, r.repeated = nil, 0
	if r.done++; r.done < len(r.requests) && !a.rejected() {
		return now, true
	}
	r.done = 0
	return r.backlog.next(now, r.number)
}
