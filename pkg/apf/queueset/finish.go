package queueset

import (
	"time"
)

// Finish ends the execution of a seated request, once. Its seats are free at
// once, or after the additional latency of its work; Finish does not wait for
// that. It returns how long the request executed.
func (s *Set) Finish(r *Request) time.Duration {
	now := s.clock.Now()
	executed := now - r.started
	r.Series.Finished(int(r.shard&s.shardMask), executed, r.Attributes.Verb == "watch", r.held-r.lingering())

	sh := s.shardOf(r)
	sh.mu.Lock()
	sh.unlink(r)
	if !sh.open || r.Work.Latency > 0 {
		sh.mu.Unlock()
		s.finishSlowly(r, now)
		s.noteEnd()
		return executed
	}
	sh.free += r.held
	sh.changes.add(change{at: now, executing: -1, seats: -int32(r.held)})
	r.phase = absent
	full := sh.changes.full()
	sh.mu.Unlock()
	if full {
		s.mergeFull()
	}
	s.noteEnd()
	return executed
}

// finishSlowly is Finish where the lock of the Set is needed; r ended at the given
// time.
func (s *Set) finishSlowly(r *Request, ended time.Duration) {
	s.mu.Lock()
	now := s.syncTo(ended)
	lingering := r.lingering()
	freed := r.held - lingering
	inQueue := r.queue != nil && !s.open && r.era == s.era
	if lingering > 0 {
		late := lingerer{seats: lingering, series: r.Series, shard: int(r.shard & s.shardMask)}
		if inQueue {
			late.queue, late.era = r.queue, s.era
		}
		s.linger.add(late, now+r.Work.Latency, now)
	}
	if inQueue {
		s.schedule.finish(r, now, lingering)
	}
	r.phase, r.queue = absent, nil
	s.free += freed
	s.note(change{at: now, executing: -1, seats: -int32(freed)})
	s.resume(now)
}

// resume dispatches and reopens after seats came free, and unlocks the Set.
func (s *Set) resume(now time.Duration) {
	var woken *Request
	if !s.open {
		woken = s.dispatch(now, nil)
		s.reopen()
	}
	if !s.open && s.schedule.waiting == 0 && s.free == s.limit {
		s.schedule.dissolve() // idle: all debts are forgotten
	}
	s.mu.Unlock()
	wake(woken)
}
