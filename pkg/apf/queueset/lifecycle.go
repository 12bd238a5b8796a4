package queueset

import (
	"context"
	"errors"
	"runtime"
	"time"

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
)

// Arrive asks for seats. A request left Waiting receives from Request.Ready when it is dispatched or
// displaced, or has its function Dispatched called, unless Leave removes it first.
func (s *Set) Arrive(r *Request) Outcome {
	r.Work = r.Work.Normal()
	if r.Unseated {
		r.Work = seats.Work{}
	}
	width := r.Work.Width()
	seated, full := s.pool.arrive(r, width)
	if !seated {
		return s.arriveLocked(r, width)
	}
	if full {
		s.mergeUnlessLocked()
	}
	return Seated
}

// arriveLocked is Arrive where the lock of the Set is needed.
func (s *Set) arriveLocked(r *Request, width int) Outcome {
	if r.ready == nil && r.Dispatched == nil {
		r.ready = make(chan struct{}, 1)
	}
	hash := r.hashOnArrival() // before the lock is taken: BenchmarkSaturated
	l := s.locked.Lock()
	l.lockedSteps++
	now := l.syncTo(r.arrived)
	if l.open && l.borrow(r, width) {
		startKind := l.config.Discipline.startKind()
		s.locked.Unlock(&l)
		r.Series.Started(s.pool.shardOf(r), width, startKind)
		return Seated
	}
	l.close(now)
	outcome, displaced, woken := l.admit(r, hash, width, now)
	l.reopen()
	s.locked.Unlock(&l)
	wake(woken)
	if displaced != nil {
		s.remove(displaced)
		wake(displaced)
	}
	if outcome == Rejected {
		r.Series.Rejected(s.pool.shardOf(r), r.rejectedForReason)
		s.remove(r)
	}
	return outcome
}

// Reject rejects a request that has not arrived, without asking whether there are seats: its owner
// has a bound of its own. The reason is ConcurrencyLimit.
func (s *Set) Reject(r *Request) {
	r.arrived = s.clock.Now()
	l := s.locked.Lock()
	l.reject(r, stats.ConcurrencyLimit, noQueue, 0)
	s.locked.Unlock(&l)
	r.Series.Rejected(s.pool.shardOf(r), r.rejectedForReason)
}

// mergeUnlessLocked merges changes, since a shard has collected enough. It does
// nothing while the lock is held: shards that are used alike are full at the same
// time, and whoever has the lock merges them all or leaves it to the next change.
// BenchmarkCores measures what is saved by not waiting.
func (s *Set) mergeUnlessLocked() {
	if l := s.locked.TryLock(); l != nil {
		l.merge(s.clock.Now())
		s.locked.Unlock(&l)
	}
}

// Wait waits until a request that Arrive left waiting is dispatched or displaced, or until ctx
// is done. In the latter case the request leaves its queue, for TimeOut if the
// deadline passed, and as Cancelled otherwise.
//
// A request that was dispatched yields its processor once. The Go scheduler runs
// a goroutine that was just woken before all others of its processor. Since each
// request wakes the next when it ends, the requests of one busy level would follow
// each other for up to 10 ms, while goroutines wait that the network or a timer
// made ready: among them requests of other flows that have not reached the level.
// The benchmark "An elephant and mice on one level" of docs/evidence/benchmarks.md measures what
// these requests gain.
func (s *Set) Wait(ctx context.Context, r *Request) Outcome {
	select {
	case <-r.ready:
		runtime.Gosched()
		return r.outcome()
	case <-ctx.Done():
	}
	reason := stats.Cancelled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		reason = stats.TimeOut
	}
	if s.Leave(r, reason) {
		return Rejected
	}
	<-r.ready
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
	s.remove(r)
	return true
}

// Abandon ends a request whose owner cannot continue, given the last Outcome of
// the request.
func (s *Set) Abandon(r *Request, last Outcome) {
	if last == Waiting && !s.Leave(r, stats.Cancelled) {
		if r.Dispatched == nil {
			<-r.ready
		}
		last = r.outcome()
	}
	if last == Seated {
		s.Finish(r)
	}
}

// notExecuting is the value of Finish's panic.
const notExecuting = "queueset: Finish of a request that does not execute; call it once for each request that Arrive or Wait returned as Seated"

// Finish ends the execution of a seated request, once, and returns how long it
// executed. Its seats are free at once, or after the additional latency of its work; Finish does
// not wait for that. It panics if the request does not execute, since the number of seats in use
// would be wrong for good.
func (s *Set) Finish(r *Request) time.Duration {
	if r.phase != executing {
		panic(notExecuting)
	}
	now, finished, full := s.pool.end(r)
	executed := now - r.started
	r.Series.Finished(s.pool.shardOf(r), executed, r.Attributes.Verb == "watch", r.held-r.finalSeats())
	if !finished {
		l := s.locked.Lock()
		l.lockedSteps++
		woken := l.finish(r, now)
		s.locked.Unlock(&l)
		wake(woken)
	} else if full {
		s.mergeUnlessLocked()
	}
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

// endFinalPhasesOf is called when an additional latency of a request is over that ended in
// shard i while the Set was open.
func (s *Set) endFinalPhasesOf(i int) {
	full, blocked := s.pool.endFinalPhases(i)
	for ; blocked; full, blocked = s.pool.endFinalPhases(i) {
		l := s.locked.Lock()
		l.merge(s.clock.Now())
		s.locked.Unlock(&l)
	}
	if full {
		s.mergeUnlessLocked()
	}
	s.noteEnd()
}

// remove ends a request that was rejected.
func (s *Set) remove(r *Request) {
	s.pool.remove(r)
	s.noteEnd()
}

// wake tells requests that they have been dispatched or displaced. It is called without a
// lock, since a request may end as soon as it knows.
func wake(woken *Request) { signal(woken).Tell() }

// Dispatches are the requests with a function Dispatched that a change of a Set has dispatched,
// and that do not know yet. The caller must call Tell, once, when it holds no lock.
type Dispatches struct{ first *Request }

// None reports whether there is no request to tell.
func (d Dispatches) None() bool { return d.first == nil }

// Tell calls the functions.
func (d Dispatches) Tell() {
	for woken := d.first; woken != nil; {
		r := woken
		woken, r.next = r.next, nil
		r.Dispatched()
	}
}

// signal lets the requests go on that wait on Ready, and returns the others in the same order.
func signal(woken *Request) Dispatches {
	var first *Request
	last := &first
	for woken != nil {
		r := woken
		woken, r.next = r.next, nil
		if r.Dispatched != nil {
			*last, last = r, &r.next
			continue
		}
		r.ready <- struct{}{}
	}
	return Dispatches{first}
}
