package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// queueHeap orders queues by virtual time.
type queueHeap = heap[seats.Progress, *queue]

// fairQueue is the closed regime: all seats and all queues belong to one lock, the Set's. It orders
// waiting requests by virtual time, and decides which of them starts on the free seats.
type fairQueue struct {
	last    time.Duration  // when the virtual clock was advanced last
	limit   int            // seats: C of the package comment
	inUse   int            // seats; may exceed the limit after that was lowered; means nothing while the pool is open
	clock   seats.Progress // R
	wraps   uint64         // how often R passed zero
	flows   map[flow.Hash]*queue
	queues  []*queue      // by number: of flows, and spares
	spares  []*queue      // for reuse
	active  int           // how many queues are active
	ahead   queueHeap     // inactive queues that count
	resting restingQueues // inactive queues that do not count, and owe something
	ordered queueHeap     // queues with waiting requests, by the finish of the head, or earlier
	crowd   crowd         // the same by the end of the tail, while the level is full
	waiting int           // requests that wait
	widths  widthCounts   // of the requests that wait
	serial  uint64        // of the last request that began to wait, or change of a head
	// overtaken waits, was first in the schedule and did not fit when a request overtook it. It is
	// nil if there is none.
	overtaken  *Request
	collecting bool // seats, since overtaking reached its bound
	executions executions
	// era counts how often the pool took over. A queue belongs to one era.
	era uint64

	dispatchClock seats.Progress // R at the last dispatch
	dispatchStart seats.Progress // S of the request dispatched last
}

// free returns the number of free seats, negative if more are in use than the
// limit.
func (f *fairQueue) free() int { return f.limit - f.inUse }

// idle reports whether no request waits and no seat is in use.
func (f *fairQueue) idle() bool { return f.waiting == 0 && f.inUse == 0 }

// start begins an era with this number of free seats.
func (f *fairQueue) start(free int) { f.inUse = f.limit - free }

// stop ends the era and returns the number of free seats. No request may wait.
func (f *fairQueue) stop() (free int) {
	f.era++
	f.dissolve()
	return f.free()
}

// holds reports whether r executes in a queue of this era.
func (f *fairQueue) holds(r *Request) bool { return r.queue != nil && r.era == f.era }

// fits reports whether a request of the given width may start now. One that is
// wider than the limit starts when no seat is in use.
func (f *fairQueue) fits(width int) bool {
	limit := f.limit
	if width > limit {
		return limit > 0 && f.inUse == 0
	}
	return width <= f.free()
}

// clamp returns work with final seats within the limit.
func (f *fairQueue) clamp(work seats.Work) seats.Work { return work.ClampFinal(f.limit) }

// nextToStart returns the waiting request that is to start now, nil without one. If the
// request that is first in the schedule does not fit, that is blocked. nextToStart clamps
// the work of the first request to the present limit.
func (f *fairQueue) nextToStart() (next, blocked *Request) {
	first := f.next()
	if first == nil {
		return nil, nil
	}
	first.Work = f.clamp(first.Work)
	if f.fits(first.Work.Width()) {
		return first, nil
	}
	if next = f.overtaker(first, f.free()); next != nil {
		f.overtaken = first
	}
	return next, first
}

// seat gives r its seats, whether or not it waited.
func (f *fairQueue) seat(r *Request, now time.Duration) {
	r.held, r.started, r.phase, r.era = r.Work.Width(), now, executing, f.era
	f.inUse += r.held
}

// release ends the final phase of a request, whose seats are free again.
func (f *fairQueue) release(p *finalPhase) {
	if p.queue != nil && p.era == f.era {
		p.queue.finishing--
		p.queue.seats -= p.seats
		f.settle(p.queue)
	}
}
