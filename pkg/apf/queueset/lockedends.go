package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// leave removes r from its queue, and returns the requests that start. It does
// nothing and returns false if r does not wait.
func (l *lockedSet) leave(r *Request, reason stats.Reason) (left bool, woken *Request) {
	if r.phase != waiting {
		return false, nil
	}
	now := l.sync()
	l.withdraw(r, reason, now)
	woken = l.startWaiting(now, nil)
	l.reopen()
	return true, woken
}

// withdraw removes r, which waits, from its queue.
func (l *lockedSet) withdraw(r *Request, reason stats.Reason, now time.Duration) {
	r.rejectedForReason, r.rejectedBy = reason, l.config.queueOf(r.queue.hash)
	r.phase = absent
	switch reason {
	case stats.Cancelled:
		r.queue.patience, r.queue.left = now-r.arrived, now-r.arrived
	case stats.TimeOut:
		r.queue.left = now - r.arrived
	}
	r.retryAfter = 0
	if reason == stats.TimeOut || reason == stats.QueueFull {
		r.retryAfter = l.promise(r.queue, now)
	}
	l.queue.withdraw(r)
	switch reason {
	case stats.TimeOut:
		l.totals.TimedOut++
	case stats.Cancelled:
		l.totals.Cancelled++
	case stats.QueueFull:
		l.totals.Rejected++
	}
	l.note(change{at: now, waiting: -1, seatsWanted: -int32(r.width)})
	r.Series.Left(l.pool.shardOf(r), r.width, now-r.arrived, reason)
}

// finish ends the execution of r at the given time, and returns the requests that
// start.
func (l *lockedSet) finish(r *Request, ended time.Duration) (woken *Request) {
	now := l.syncTo(ended)
	kept := r.finalSeats()
	queued := l.queue.holds(r)
	work := seats.AreaOf(r.held, ended-r.started) + r.Work.FinalArea()
	l.queue.executions.observe(ended-r.started, work)
	addUsage(&l.used, r, ended)
	if kept > 0 {
		f := finalPhase{seats: kept, series: r.Series, shard: l.pool.shardOf(r)}
		if queued {
			f.queue, f.era = r.queue, r.era
		}
		l.final.add(f, now+r.Work.Latency, now)
	}
	if queued {
		r.queue.executions.observe(ended-r.started, work)
		l.queue.unseat(r, now, kept)
	}
	r.phase = absent
	l.giveBack(r.held - kept)
	l.note(change{at: now, executing: -1, seats: -int32(r.held - kept)})
	return l.resume(now)
}

// endFinalPhases frees the final seats whose additional latency is over, and
// returns the requests that start.
func (l *lockedSet) endFinalPhases() (woken *Request) {
	now := l.sync()
	for f, ok := l.final.popDue(now); ok; f, ok = l.final.popDue(now) {
		l.giveBack(f.seats)
		l.queue.release(&f)
		f.series.Released(f.shard, f.seats)
		l.note(change{at: now, seats: -int32(f.seats)})
	}
	l.final.arm(now)
	return l.resume(now)
}

// giveBack gives seats that were in use to the regime that seats requests.
func (l *lockedSet) giveBack(seats int) {
	if l.open {
		l.pool.setReserve(l.pool.reserve + seats)
		return
	}
	l.queue.inUse -= seats
}

// resume makes use of seats that came free, and returns the requests that start.
func (l *lockedSet) resume(now time.Duration) (woken *Request) {
	if l.open {
		return nil
	}
	woken = l.startWaiting(now, nil)
	l.reopen()
	if !l.open && l.queue.idle() {
		l.queue.dissolve() // which forgets what the queues owe
	}
	return woken
}
