package queueset

import (
	"container/heap"
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Outcome is what Arrive and Wait return about a request.
type Outcome uint8

const (
	// Rejected means that the request must not execute, see Request.Reason.
	Rejected Outcome = iota
	// Seated means that the request may execute, and that Finish must be called
	// afterwards.
	Seated
	// Waiting means that the request is in a queue.
	Waiting
	// Unneeded means that the request left its queue, since it needs no seats any more. It was not
	// rejected.
	Unneeded
)

// Arrive asks for seats. A request left Waiting must Wait, or has its function Decided called, unless
// Leave removes it first.
func (s *Set) Arrive(r *Request) Outcome {
	r.Work = r.Work.Normal()
	if r.Unseated {
		r.Work = seats.Work{}
	}
	if r.ready == nil && r.Decided == nil {
		r.ready = make(chan struct{}, 1)
	}
	hash := r.hashOnArrival() // before the lock is taken: BenchmarkSaturated
	now := s.clock.Now()
	l := s.locked.Lock()
	r.arrived = l.advance(now)
	outcome, displaced, woken := l.admit(r, hash, r.Work.Width(), r.arrived)
	s.locked.Unlock(&l)
	wake(woken)
	if displaced != nil {
		wake(displaced)
		s.noteEnd()
	}
	if outcome == Rejected {
		s.noteEnd()
	}
	return outcome
}

// Reject rejects a request that has not arrived, without asking whether there are seats: its owner
// has a bound of its own. The reason is ConcurrencyLimit.
func (s *Set) Reject(r *Request) {
	l := s.locked.Lock()
	r.arrived = l.advance(s.clock.Now())
	l.reject(r, stats.ConcurrencyLimit, noQueue, 0)
	s.locked.Unlock(&l)
}

// Wait waits until a request that Arrive left waiting is dispatched or displaced, until it is unneeded, or
// until ctx is done. In the last two cases the request leaves its queue: for TimeOut if the deadline of ctx
// passed, and as Cancelled if ctx ended otherwise. A nil channel is never ready.
//
// A request that was dispatched yields its processor once. The Go scheduler runs
// a goroutine that was just woken before all others of its processor. Since each
// request wakes the next when it ends, the requests of one busy level would follow
// each other for up to 10 ms, while goroutines wait that the network or a timer
// made ready: among them requests of other flows that have not reached the level.
func (s *Set) Wait(ctx context.Context, r *Request, unneeded <-chan struct{}) Outcome {
	reason := stats.Cancelled
	select {
	case <-r.ready:
		runtime.Gosched()
		return r.outcome()
	case <-unneeded:
		reason = stats.Withdrawn
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			reason = stats.TimeOut
		}
	}
	if !s.Leave(r, reason) {
		<-r.ready
	}
	return r.outcome()
}

// Leave removes r from its queue for the given reason. If r has been dispatched or
// displaced, it does nothing and returns false.
func (s *Set) Leave(r *Request, reason Reason) bool {
	l := s.locked.Lock()
	left, woken := l.leave(r, reason)
	s.locked.Unlock(&l)
	if !left {
		return false
	}
	wake(woken)
	s.noteEnd()
	return true
}

// notExecuting is the value of Finish's panic.
const notExecuting = "queueset: Finish of a request that does not execute; call it once for each request that Arrive or Wait returned as Seated"

// Finish ends the execution of a seated request, once, and returns how long it
// executed. Its seats are free at once, or after the additional latency of its work; Finish does
// not wait for that. It panics if the request does not execute, since the number of seats in use
// would be wrong for good.
func (s *Set) Finish(r *Request) time.Duration {
	now := s.clock.Now()
	l := s.locked.Lock()
	if r.phase != executing {
		s.locked.Unlock(&l)
		panic(notExecuting)
	}
	executed := max(0, now-r.started)
	woken := l.finish(r, executed, l.advance(now))
	s.locked.Unlock(&l)
	wake(woken)
	s.noteEnd()
	return executed
}

// endFinalPhases is called when an additional latency is over.
func (s *Set) endFinalPhases() {
	l := s.locked.Lock()
	woken := l.endFinalPhases()
	s.locked.Unlock(&l)
	wake(woken)
	s.noteEnd()
}

// wake tells requests what was decided. It is called without a lock, since a request may end as soon
// as it knows.
func wake(woken *Request) { Decisions{woken}.Tell() }

// Decisions are requests that a change of a Set has dispatched or rejected while they waited, and that do
// not know yet. The caller must call Tell, once, when it holds no lock.
type Decisions struct{ first *Request }

// None reports whether there is no request to tell.
func (d Decisions) None() bool { return d.first == nil }

// Tell tells the requests in order.
func (d Decisions) Tell() {
	for woken := d.first; woken != nil; {
		r := woken
		woken, r.next = r.next, nil
		if r.Decided != nil {
			r.Decided()
		} else {
			r.ready <- struct{}{}
		}
	}
}

// lockedSet is what the lock of a Set guards.
type lockedSet struct {
	clock  clock.Clock
	config Config
	limits Limits

	schedule scheduler
	final    finalPhases
	newest   *Request // first in the list of all requests, which continues along older
	cursor   *Request // in that list: the next one that a dump copies

	occupied occupancy
	usage    usage
	executed executions    // all requests
	promised time.Duration // when the client that was rejected last was told to return
	totals   Totals
}

// advance advances the virtual times to now, a time read before the lock was taken, unless another
// request has advanced them further. It returns the time that they have reached.
func (l *lockedSet) advance(now time.Duration) time.Duration {
	l.schedule.advance(now)
	return l.schedule.root.last
}

// link adds r to the list of all requests.
func (l *lockedSet) link(r *Request) {
	r.older, r.newer = l.newest, nil
	if l.newest != nil {
		l.newest.newer = r
	}
	l.newest = r
}

// unlink removes r from the list of all requests.
func (l *lockedSet) unlink(r *Request) {
	if l.cursor == r {
		l.cursor = r.older
	}
	if r.newer == nil {
		l.newest = r.older
	} else {
		r.newer.older = r.older
	}
	if r.older != nil {
		r.older.newer = r.newer
	}
	r.newer, r.older = nil, nil
}

// setLimits replaces the limits, and returns the requests that start.
func (l *lockedSet) setLimits(limits Limits, now time.Duration) (woken *Request) {
	l.limits = limits
	l.schedule.limit = l.config.seats(limits)
	l.occupied.setDenominators(now, max(l.config.WaitingCapacity(), 1), limits)
	return l.startWaiting(now, nil)
}

// admit seats, enqueues or rejects r. It returns the request that r displaces, which is rejected, and
// the requests that start besides r.
func (l *lockedSet) admit(r *Request, hash flow.Hash, width int, now time.Duration) (outcome Outcome, displaced, woken *Request) {
	r.queue = nil
	if l.config.Discipline != Queue {
		return l.admitUnqueued(r, now), nil, nil
	}
	s := &l.schedule
	r.Work = s.clamp(r.Work)
	if s.waiting == 0 && s.fits(r.Work.Width()) {
		l.seatAtOnce(r, stats.Queued, now)
		s.startAtOnce(r, s.flowOf(r, hash), now)
		return Seated, nil, nil
	}
	// While requests wait, free seats are kept for one that does not fit. A full level
	// rejects then too, so that the configuration bounds how many wait.
	q := s.flows.byHash[hash]
	if q != nil && (q.waiting >= l.config.HandSize*l.config.QueueLengthLimit || q.hopeless(now)) {
		return l.rejectFull(r, hash, q, now), nil, nil
	}
	if s.waiting >= l.config.WaitingCapacity() {
		if displaced = s.displaced(q, r, now); displaced == nil {
			return l.rejectFull(r, hash, q, now), nil, nil
		}
		l.withdraw(displaced, stats.QueueFull, now)
	}
	r.width = width
	r.deadline.Store(0)
	q = s.flowOf(r, hash)
	l.link(r)
	r.phase = waiting
	s.enqueue(r, q, now)
	length := q.waiting
	woken = l.startWaiting(now, r)
	if r.phase == executing {
		return Seated, displaced, woken
	}
	r.Series.Enqueued(width, length)
	l.occupied.add(now, 1, 0, width, 0)
	return Waiting, displaced, woken
}

// admitUnqueued seats or rejects r. Requests wait all the same if the level had
// queues until its configuration changed.
func (l *lockedSet) admitUnqueued(r *Request, now time.Duration) Outcome {
	r.Work = l.schedule.clamp(r.Work)
	if l.schedule.waiting > 0 || !l.schedule.fits(r.Work.Width()) {
		return l.reject(r, stats.ConcurrencyLimit, noQueue, l.promise(nil, now))
	}
	l.seatAtOnce(r, l.config.Discipline.startKind(), now)
	return Seated
}

// rejectFull rejects a request of the flow of q, nil without one, for which there is no place.
func (l *lockedSet) rejectFull(r *Request, hash flow.Hash, q *flowQueue, now time.Duration) Outcome {
	return l.reject(r, stats.QueueFull, l.config.queueOf(hash), l.promise(q, now))
}

func (l *lockedSet) reject(r *Request, reason stats.Reason, queue int, retryAfter time.Duration) Outcome {
	r.phase = absent
	r.rejectedForReason, r.rejectedBy, r.retryAfter = reason, queue, retryAfter
	r.Series.Rejected(reason)
	l.totals.Rejected++
	return Rejected
}

// startWaiting starts as many waiting requests as it can. It returns them, without
// arriving, as a list along next for wake.
func (l *lockedSet) startWaiting(now time.Duration, arriving *Request) (woken *Request) {
	s := &l.schedule
	for s.free() > 0 {
		r, blocked := s.next(now)
		if blocked != nil {
			blocked.Series.NotAccommodated()
		}
		if r == nil {
			break
		}
		if s.late(r, now) {
			l.withdraw(r, stats.TimeOut, now)
			r.next, woken = woken, r
			continue
		}
		s.seat(r, now)
		s.dispatch(r, now)
		l.totals.Dispatched++
		if r == arriving {
			l.occupied.add(now, 0, 1, 0, r.held)
			r.Series.Started(r.held, stats.Queued)
			continue
		}
		l.occupied.add(now, -1, 1, -r.width, r.held)
		r.Series.Dispatched(r.width, r.held, now-r.arrived)
		r.next, woken = woken, r
	}
	return woken
}

// seatAtOnce seats a request that has not waited.
func (l *lockedSet) seatAtOnce(r *Request, startKind stats.StartKind, now time.Duration) {
	l.link(r)
	l.schedule.seat(r, now)
	l.totals.Dispatched++
	l.occupied.add(now, 0, 1, 0, r.held)
	r.Series.Started(r.held, startKind)
}

// leave removes r from its queue, and returns the requests that start. It does
// nothing and returns false if r does not wait.
func (l *lockedSet) leave(r *Request, reason stats.Reason) (left bool, woken *Request) {
	if r.phase != waiting {
		return false, nil
	}
	now := l.advance(l.clock.Now())
	if reason == stats.Cancelled || reason == stats.TimeOut {
		r.queue.patience.leaves(r, now, reason)
	}
	l.withdraw(r, reason, now)
	return true, l.startWaiting(now, nil)
}

// withdraw removes r, which waits, from its queue.
func (l *lockedSet) withdraw(r *Request, reason stats.Reason, now time.Duration) {
	r.rejectedForReason, r.rejectedBy = reason, l.config.queueOf(r.queue.hash)
	r.phase = absent
	r.retryAfter = 0
	if reason == stats.TimeOut || reason == stats.QueueFull {
		r.retryAfter = l.promise(r.queue, now)
	}
	l.unlink(r)
	l.schedule.withdraw(r, now)
	switch reason {
	case stats.TimeOut:
		l.totals.TimedOut++
	case stats.Cancelled:
		l.totals.Cancelled++
	case stats.QueueFull:
		l.totals.Rejected++
	}
	l.occupied.add(now, -1, 0, -r.width, 0)
	r.Series.Left(r.width, now-r.arrived, reason)
}

// finish ends the execution of r, which executed for so long, and returns the requests that start.
func (l *lockedSet) finish(r *Request, executed, now time.Duration) (woken *Request) {
	r.phase = absent
	l.unlink(r)
	kept := r.finalSeats()
	work := seats.AreaOf(r.Work.Initial, executed) + r.Work.FinalArea()
	l.executed.observe(executed, work)
	l.usage.add(r, executed, now)
	r.Series.Finished(executed, r.Attributes.Verb == "watch", r.held-kept)
	l.schedule.inUse -= r.held - kept
	if kept > 0 {
		l.final.add(finalPhase{seats: kept, due: now + r.Work.Latency, series: r.Series, queue: r.queue}, now)
	}
	if r.queue != nil {
		l.schedule.unseat(r, now, kept, executed, work)
	}
	l.occupied.add(now, 0, -1, 0, -(r.held - kept))
	return l.resume(now)
}

// endFinalPhases frees the final seats whose additional latency is over, and
// returns the requests that start.
func (l *lockedSet) endFinalPhases() (woken *Request) {
	now := l.advance(l.clock.Now())
	for f, ok := l.final.popDue(now); ok; f, ok = l.final.popDue(now) {
		l.schedule.inUse -= f.seats
		l.schedule.release(&f)
		f.series.Released(f.seats)
		l.occupied.add(now, 0, 0, 0, -f.seats)
	}
	l.final.arm(now)
	return l.resume(now)
}

// resume makes use of seats that came free, and returns the requests that start.
func (l *lockedSet) resume(now time.Duration) (woken *Request) {
	woken = l.startWaiting(now, nil)
	if l.schedule.idle() {
		l.schedule.forgetMany()
	}
	return woken
}

// finalPhase is a finished request that still holds its final seats.
type finalPhase struct {
	seats  int
	due    time.Duration // when its additional latency is over
	queue  *flowQueue    // nil if the request was in none
	series *stats.Series
}

// finalPhases are ordered by the end of their additional latency. One timer
// serves all.
type finalPhases struct {
	clock  clock.Clock
	end    func() // called when an additional latency is over
	phases phaseHeap
	timer  clock.Timer
}

// add adds a phase.
func (p *finalPhases) add(f finalPhase, now time.Duration) {
	heap.Push(&p.phases, f)
	if p.phases[0].due == f.due {
		p.arm(now)
	}
}

// popDue removes a phase that is over and returns it, or false if there is none.
func (p *finalPhases) popDue(now time.Duration) (f finalPhase, ok bool) {
	if len(p.phases) == 0 || p.phases[0].due > now {
		return finalPhase{}, false
	}
	return heap.Pop(&p.phases).(finalPhase), true
}

// arm sets the timer to the end of the first phase, if there is one.
func (p *finalPhases) arm(now time.Duration) {
	switch {
	case len(p.phases) == 0:
	case p.timer == nil:
		p.timer = p.clock.AfterFunc(p.phases[0].due-now, p.end)
	default:
		p.timer.Reset(p.phases[0].due - now)
	}
}

type phaseHeap []finalPhase

func (h phaseHeap) Len() int           { return len(h) }
func (h phaseHeap) Less(i, j int) bool { return h[i].due < h[j].due }
func (h phaseHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *phaseHeap) Push(f any)        { *h = append(*h, f.(finalPhase)) }
func (h *phaseHeap) Pop() any {
	last := len(*h) - 1
	f := (*h)[last]
	(*h)[last] = finalPhase{}
	*h = (*h)[:last]
	return f
}
