package queueset

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// Outcome is what Arrive and Wait say about a request.
type Outcome uint8

const (
	// Seated means that it may execute now, and Finish must be called afterwards.
	Seated Outcome = iota
	// Waiting means that it is in a queue.
	Waiting
	// Refused means that it must not execute, see Request.Reason.
	Refused
)

// Arrive asks for seats. A request left Waiting is either dispatched, which
// Request.Ready tells, or taken out by Leave.
func (s *Set) Arrive(r *Request) Outcome {
	r.Work = r.Work.Normal()
	width := r.Work.Width()
	now := s.clock.Now()
	r.arrived, r.queue = now, nil
	sh := s.lockShard(r)
	sh.link(r)
	if !sh.open || sh.free < width {
		r.phase = arriving
		sh.mu.Unlock()
		return s.arriveSlowly(r, width)
	}
	sh.take(r, width, now)
	passage, full := sh.passage, sh.changes.full()
	sh.mu.Unlock()
	r.Series.Started(int(r.shard&s.shardMask), width, passage)
	if full {
		s.mergeFull()
	}
	return Seated
}

// mergeFull merges because a shard is full, unless somebody has the lock: shards
// that are used alike are full at the same time, and whoever comes first merges
// them all. If it was for another reason, the next change tries again.
func (s *Set) mergeFull() {
	if s.mu.TryLock() {
		s.merge()
		s.mu.Unlock()
	}
}

func (s *Set) arriveSlowly(r *Request, width int) Outcome {
	if r.ready == nil {
		r.ready = make(chan struct{}, 1)
	}
	hash := r.hash() // which may take longer than all that needs the lock
	s.mu.Lock()
	now := s.syncTo(r.arrived)
	if s.open && s.borrow(r, width, now) {
		passage := s.config.Discipline.passage()
		s.mu.Unlock()
		r.Series.Started(int(r.shard&s.shardMask), width, passage)
		return Seated
	}
	s.close(now)
	outcome, woken := s.admit(r, hash, width, now)
	s.reopen()
	s.mu.Unlock()
	wake(woken)
	if outcome == Refused {
		r.Series.Rejected(int(r.shard&s.shardMask), r.refusedForReason)
		s.forget(r)
	}
	return outcome
}

// admit seats, enqueues or refuses r in a closed Set.
func (s *Set) admit(r *Request, hash flow.Hash, width int, now time.Duration) (Outcome, *Request) {
	if s.config.Discipline != Queue {
		if s.schedule.waiting > 0 || !s.fits(r) {
			return s.refuse(r, stats.ConcurrencyLimit), nil
		}
		s.seat(r, now)
		s.note(change{at: now, executing: 1, seats: int32(r.held)})
		r.Series.Started(int(r.shard&s.shardMask), r.held, s.config.Discipline.passage())
		return Seated, nil
	}
	q := s.schedule.choose(hash)
	if s.free <= 0 && q.length >= s.config.QueueLengthLimit {
		return s.refuse(r, stats.QueueFull), nil
	}
	r.width = width
	s.schedule.enqueue(r, q)
	length := q.length
	woken := s.dispatch(now, r)
	if r.phase == executing {
		return Seated, woken
	}
	r.phase = waiting
	r.Series.Enqueued(int(r.shard&s.shardMask), width, length)
	s.note(change{at: now, waiting: 1, seatsWanted: int32(width)})
	return Waiting, woken
}

func (s *Set) refuse(r *Request, reason stats.Reason) Outcome {
	r.phase = absent
	r.refusedForReason = reason
	s.totals.Rejected++
	return Refused
}

// fits fixes the work of r for the present limit and reports whether there are
// seats for it.
func (s *Set) fits(r *Request) bool {
	r.Work = r.Work.ClampFinal(s.limit)
	width := r.Work.Width()
	if width > s.limit {
		return s.limit > 0 && s.free == s.limit
	}
	return width <= s.free
}

func (s *Set) seat(r *Request, now time.Duration) {
	r.held, r.started, r.phase, r.era = r.Work.Width(), now, executing, s.era
	s.free -= r.held
	s.totals.Dispatched++
}

// dispatch starts as many waiting requests as it can and returns them, apart
// from arriving, as a list along next for wake.
func (s *Set) dispatch(now time.Duration, arriving *Request) (woken *Request) {
	for s.free > 0 {
		r := s.turn()
		if r == nil {
			break
		}
		s.seat(r, now)
		s.schedule.dispatch(r, now)
		if r == arriving {
			s.note(change{at: now, executing: 1, seats: int32(r.held)})
			r.Series.Started(int(r.shard&s.shardMask), r.held, stats.Queued)
			continue
		}
		s.noteDispatch(change{at: now, executing: 1, waiting: -1, seats: int32(r.held), seatsWanted: -int32(r.width)})
		r.Series.Dispatched(int(r.shard&s.shardMask), r.width, r.held, now-r.arrived)
		r.next, woken = woken, r
	}
	return woken
}

// turn returns the waiting request that is to start now, nil without one.
func (s *Set) turn() *Request {
	next := s.schedule.next()
	if next == nil || s.fits(next) {
		return next
	}
	next.Series.NotAccommodated(int(next.shard & s.shardMask))
	return s.schedule.overtaker(next, s.free)
}

// wake tells requests that they have been dispatched. It must not be called
// under the lock of the Set: a request may end as soon as it knows.
func wake(woken *Request) {
	for woken != nil {
		r := woken
		woken, r.next = r.next, nil
		r.ready <- struct{}{}
	}
}

// Wait waits until a request that Arrive left waiting is dispatched, or until
// ctx is done: then it leaves the queue for TimeOut if the deadline passed,
// and as Cancelled otherwise.
//
// A request that was dispatched lets other goroutines go first, once. Go runs a
// goroutine that has just been woken before all others of its processor. As each
// request wakes the next when it ends, those of one busy level would follow each
// other for as long as the runtime allows, 10 ms, while whoever the network or a
// timer made ready waits: the next mouse, before it has even reached the level.
func (s *Set) Wait(ctx context.Context, r *Request) Outcome {
	select {
	case <-r.ready:
		runtime.Gosched()
		return Seated
	case <-ctx.Done():
	}
	reason := stats.Cancelled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		reason = stats.TimeOut
	}
	if s.Leave(r, reason) {
		return Refused
	}
	<-r.ready
	return Seated
}

// Leave takes r out of its queue for the given reason. It reports false, and
// does nothing, if r has been dispatched.
func (s *Set) Leave(r *Request, reason stats.Reason) bool {
	s.mu.Lock()
	if r.phase != waiting {
		s.mu.Unlock()
		return false
	}
	now := s.sync()
	s.schedule.withdraw(r)
	r.phase = absent
	r.refusedForReason = reason
	if reason == stats.TimeOut {
		s.totals.TimedOut++
	} else {
		s.totals.Cancelled++
	}
	s.note(change{at: now, waiting: -1, seatsWanted: -int32(r.width)})
	r.Series.Left(int(r.shard&s.shardMask), r.width, now-r.arrived, reason)
	woken := s.dispatch(now, nil)
	s.reopen()
	s.mu.Unlock()
	wake(woken)
	s.forget(r)
	return true
}

// Abandon gives up a request whose owner cannot go on, in the state that the
// last Outcome said.
func (s *Set) Abandon(r *Request, last Outcome) {
	if last == Waiting && !s.Leave(r, stats.Cancelled) {
		<-r.ready
		last = Seated
	}
	if last == Seated {
		s.Finish(r)
	}
}

// forget ends the life of a request that was refused.
func (s *Set) forget(r *Request) {
	sh := s.shardOf(r)
	sh.mu.Lock()
	sh.unlink(r)
	sh.mu.Unlock()
	s.noteEnd()
}
