package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// fairQueue is the closed regime: all seats and all queues belong to one lock,
// that of the Set. It decides which waiting request starts on the free seats, in
// the order of its schedule.
type fairQueue struct {
	schedule scheduler
	cap      flowCap
	inUse    int // seats; may exceed the limit after that was lowered; means nothing while the pool is open
	// era counts how often the pool took over. A queue belongs to one era.
	era uint64
}

func (q *fairQueue) limit() int { return q.schedule.limit }

// waiting returns the number of requests that wait.
func (q *fairQueue) waiting() int { return q.schedule.waiting + q.cap.held }

// free returns the number of free seats, negative if more are in use than the
// limit.
func (q *fairQueue) free() int { return q.schedule.limit - q.inUse }

// idle reports whether no request waits and no seat is in use.
func (q *fairQueue) idle() bool { return q.waiting() == 0 && q.inUse == 0 }

// start begins an era in which so many seats are free.
func (q *fairQueue) start(free int) { q.inUse = q.schedule.limit - free }

// stop ends the era and returns the number of free seats. No request may wait.
func (q *fairQueue) stop() (free int) {
	q.era++
	q.schedule.dissolve()
	q.cap = flowCap{percent: q.cap.percent}
	return q.free()
}

// sync advances the virtual clock to now.
func (q *fairQueue) sync(now time.Duration) { q.schedule.sync(now, q.inUse) }

// adopt assigns r, which executes without a queue, to one. start counts its seats
// afterwards.
func (q *fairQueue) adopt(r *Request, now time.Duration) {
	q.schedule.assignQueue(r, now)
	r.era = q.era
	q.cap.countExecuting(r)
}

// holds reports whether r executes in a queue of this era.
func (q *fairQueue) holds(r *Request) bool { return r.queue != nil && r.era == q.era }

// fits reports whether a request of the given width may start now. One that is
// wider than the limit starts when no seat is in use.
func (q *fairQueue) fits(width int) bool {
	limit := q.schedule.limit
	if width > limit {
		return limit > 0 && q.inUse == 0
	}
	return width <= q.free()
}

// clamp returns work with final seats within the limit.
func (q *fairQueue) clamp(work seats.Work) seats.Work { return work.ClampFinal(q.schedule.limit) }

// nextToStart returns the waiting request that is to start now, nil without one. If the
// request that is first in the schedule does not fit, that is blocked. nextToStart clamps
// the work of the first request to the present limit, and holds back requests that the cap
// of their flow forbids to start.
func (q *fairQueue) nextToStart() (next, blocked *Request) {
	for {
		first := q.schedule.next()
		if first == nil {
			return nil, nil
		}
		first.Work = q.clamp(first.Work)
		if q.exceeds(first) {
			q.holdBack(first)
			continue
		}
		if q.fits(first.Work.Width()) {
			return first, nil
		}
		next = q.schedule.overtaker(first, q.free())
		if next == nil {
			return nil, first
		}
		if !q.exceeds(next) {
			q.schedule.overtaken = first
			return next, first
		}
		q.holdBack(next)
	}
}

// exceeds reports whether the cap forbids that r, which waits, starts now.
func (q *fairQueue) exceeds(r *Request) bool { return q.cap.exceeds(r, q.schedule.limit) }

// seat gives r its seats, whether or not it waited.
func (q *fairQueue) seat(r *Request, now time.Duration) {
	r.held, r.started, r.phase, r.era = r.Work.Width(), now, executing, q.era
	q.inUse += r.held
	q.cap.start(r)
}

// dispatch starts the execution of r, which waited and has its seats.
func (q *fairQueue) dispatch(r *Request, now time.Duration) {
	q.schedule.dispatch(r, now)
	q.readmit(r.use)
}

// endExecution ends the execution of r, which is in a queue and still holds its final seats.
func (q *fairQueue) endExecution(r *Request, now time.Duration, final int) {
	q.schedule.finish(r, now, final)
	q.giveBack(r.use, r.held-final)
}

// giveBack counts that a flow has returned seats.
func (q *fairQueue) giveBack(u *flowUse, seats int) {
	if u != nil {
		q.cap.free(u, seats)
		q.readmit(u)
	}
}

// release ends the final phase of a request, whose seats are free again.
func (q *fairQueue) release(f *finalPhase) {
	if f.queue != nil && f.era == q.era {
		q.schedule.release(f.queue, f.seats)
		q.giveBack(f.use, f.seats)
	}
}
