package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/heavyhitters"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

// lockedSet is what the lock of a Set guards. It decides which of the two regimes
// seats requests, the pool while it is open and the queue while it is closed, and
// counts what happens in either.
type lockedSet struct {
	clock  clock.Clock
	config Config
	limits Limits

	open  bool
	pool  lockedPool
	queue fairQueue
	final finalPhases

	changes  changes
	occupied occupancy
	used     heavyhitters.Batch
	flows    heavyFlows
	promised time.Duration // when the client that was rejected last was told to return
	totals   Totals        // requests dispatched while closed, and all others

	lockedSteps  uint64 // arrivals and ends that took the lock
	lastShortage uint64 // lockedSteps when a request last found no seat
}

// close makes the fair queue seat requests, if the pool did. The requests that
// execute are assigned to the queues of their flows.
func (l *lockedSet) close(now time.Duration) {
	if !l.open {
		return
	}
	l.open = false
	l.queue.start(l.pool.close(&l.final, now))
	l.adoptAll(now)
	l.lastShortage = l.lockedSteps
	// What the shards noted comes before what is noted from now on, even if a request
	// arrived earlier that waited for the lock.
	l.merge(forever)
}

// reopen makes the pool seat requests, if no request waits and seats are not short.
func (l *lockedSet) reopen() {
	if !l.open && l.queue.waiting == 0 && l.isPoolWorthOpening() {
		l.openPool()
	}
}

// isPoolWorthOpening reports whether enough seats are free that closing again is worth its time, or
// every request has found a seat for as long as makes up for that time.
func (l *lockedSet) isPoolWorthOpening() bool {
	free, shards := l.queue.free(), len(l.pool.shards)
	if free >= max(l.queue.limit/4, 2*shards) {
		return true
	}
	return free > 0 && l.lockedSteps-l.lastShortage >= uint64(openingFactor*(shards+l.queue.inUse))
}

// openingFactor is how many arrivals and ends a closed Set must see for each shard and for
// each seat in use, without one that finds no seat, before it opens. Closing takes a step for each
// of these, so it costs an arrival or end at most half a step.
const openingFactor = 2

// openPool makes the pool seat requests. No request may wait.
func (l *lockedSet) openPool() {
	l.merge(forever) // what comes before anything that the shards will note
	l.open = true
	l.pool.open(l.queue.stop(), l.config.Discipline.startKind())
}

// borrow seats r from the reserve of an open pool. It returns false if there are too few
// seats.
func (l *lockedSet) borrow(r *Request, width int) bool {
	seated, noted := l.pool.borrow(r, width)
	if seated && !noted {
		l.note(change{at: r.started, executing: 1, seats: int32(width)})
	}
	return seated
}

// resize gives an open pool the seats of the limits. It returns false if the Set has to
// close for them, or is closed.
func (l *lockedSet) resize(limits Limits) bool {
	return l.open && l.pool.resize(l.config.seats(limits)-l.queue.limit)
}

// idle reports whether no request waits and no seat is in use.
func (l *lockedSet) idle() bool {
	if l.open {
		return l.pool.free() == l.queue.limit
	}
	return l.queue.idle()
}

// setLimits replaces the limits of a Set that is closed, or whose pool has been resized,
// and returns the requests that start.
func (l *lockedSet) setLimits(limits Limits, now time.Duration) (woken *Request) {
	l.limits = limits
	l.queue.limit = l.config.seats(limits)
	l.merge(now)
	l.occupied.setDenominators(now, max(l.config.WaitingCapacity(), 1), limits)
	woken = l.startWaiting(now, nil)
	l.reopen()
	return woken
}

// sync advances the virtual clock to the present, which it returns.
func (l *lockedSet) sync() time.Duration { return l.syncTo(l.clock.Now()) }

// syncTo advances the virtual clock to now, a time read before the lock was
// taken, unless another request has advanced it further. It returns the time that
// the clock has reached. BenchmarkSaturated measures what is saved by not reading
// the time under the lock.
func (l *lockedSet) syncTo(now time.Duration) time.Duration {
	l.queue.sync(now)
	return l.queue.last
}

// admit seats, enqueues or rejects r in a closed Set. It returns the request that r displaces, which
// is rejected, and the requests that start besides r.
func (l *lockedSet) admit(r *Request, hash flow.Hash, width int, now time.Duration) (outcome Outcome, displaced, woken *Request) {
	if l.config.Discipline != Queue {
		return l.admitUnqueued(r, now), nil, nil
	}
	// While requests wait, free seats are kept for one that does not fit. A full level
	// rejects then too, so that the configuration bounds how many wait.
	q := l.queue.flows[hash]
	if q != nil && q.length >= l.config.HandSize*l.config.QueueLengthLimit {
		return l.rejectFull(r, hash, q, now), nil, nil
	}
	if l.queue.waiting >= l.config.WaitingCapacity() {
		if displaced = l.queue.displaced(q, guess(r)); displaced == nil {
			return l.rejectFull(r, hash, q, now), nil, nil
		}
		l.withdraw(displaced, stats.QueueFull, now)
	}
	r.width = width
	r.deadline.Store(0)
	q = l.queue.queueOf(hash)
	l.queue.enqueue(r, q)
	length := q.length
	woken = l.startWaiting(now, r)
	if r.phase == executing {
		return Seated, displaced, woken
	}
	r.phase = waiting
	l.lastShortage = l.lockedSteps
	r.Series.Enqueued(l.pool.shardOf(r), width, length)
	l.note(change{at: now, waiting: 1, seatsWanted: int32(width)})
	return Waiting, displaced, woken
}

// admitUnqueued seats or rejects r. Requests wait all the same if the level had
// queues until its configuration changed.
func (l *lockedSet) admitUnqueued(r *Request, now time.Duration) Outcome {
	r.Work = l.queue.clamp(r.Work)
	if l.queue.waiting > 0 || !l.queue.fits(r.Work.Width()) {
		return l.reject(r, stats.ConcurrencyLimit, noQueue, l.promise(nil, now))
	}
	l.seatAtOnce(r, l.config.Discipline.startKind(), now)
	return Seated
}

// rejectFull rejects a request of the flow of q, nil without one, for which there is no place.
func (l *lockedSet) rejectFull(r *Request, hash flow.Hash, q *queue, now time.Duration) Outcome {
	return l.reject(r, stats.QueueFull, l.config.queueOf(hash), l.promise(q, now))
}

func (l *lockedSet) reject(r *Request, reason stats.Reason, queue int, retryAfter time.Duration) Outcome {
	r.phase = absent
	r.rejectedForReason, r.rejectedBy, r.retryAfter = reason, queue, retryAfter
	l.lastShortage = l.lockedSteps
	l.totals.Rejected++
	return Rejected
}

// startWaiting starts as many waiting requests as it can. It returns them, without
// arriving, as a list along next for wake.
func (l *lockedSet) startWaiting(now time.Duration, arriving *Request) (woken *Request) {
	for l.queue.free() > 0 {
		r, blocked := l.queue.nextToStart()
		if blocked != nil {
			blocked.Series.NotAccommodated(l.pool.shardOf(blocked))
		}
		if r == nil {
			break
		}
		if r == arriving {
			l.seatAtOnce(r, stats.Queued, now)
			l.queue.dispatch(r, now)
			continue
		}
		l.seat(r, now)
		l.queue.dispatch(r, now)
		l.noteDispatch(change{at: now, executing: 1, waiting: -1, seats: int32(r.held), seatsWanted: -int32(r.width)})
		r.Series.Dispatched(l.pool.shardOf(r), r.width, r.held, now-r.arrived)
		r.next, woken = woken, r
	}
	return woken
}

func (l *lockedSet) seat(r *Request, now time.Duration) {
	l.queue.seat(r, now)
	l.totals.Dispatched++
}

// seatAtOnce seats a request that has not waited.
func (l *lockedSet) seatAtOnce(r *Request, startKind stats.StartKind, now time.Duration) {
	l.seat(r, now)
	l.note(change{at: now, executing: 1, seats: int32(r.held)})
	r.Series.Started(l.pool.shardOf(r), r.held, startKind)
}
