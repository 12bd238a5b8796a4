package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// queue is the queue of one flow. It exists while the flow is active, holds seats or owes
// something.
type queue struct {
	hash   flow.Hash
	number int // in fairQueue.queues and its heaps

	work  seats.Area     // of the requests that wait
	start seats.Progress // S less what executing requests have used so far

	// using is the sum of the initial seats that executing requests use now.
	using int
	// usingSince is the sum of initial seats times the time when each such request
	// began, in seat-nanoseconds modulo 2^64. Only its differences are used, and
	// they are small.
	usingSince seats.Area

	length     int      // requests that wait
	head, tail *Request // in the list of these, along prev and next

	executing int // requests that execute
	finishing int // requests in their additional latency
	seats     int // in use by both

	headSerial uint64 // serial number of the last change of the head

	promised time.Duration // when the client that was rejected last was told to return
	servedAt time.Duration // when a request was dispatched last
	interval time.Duration // between dispatches while requests wait, an average; 0 if unknown

	executions executions
	patience   time.Duration // how long the client waited that left last
	left       time.Duration // the same of one that left or had waited for as long as it may; 0 if none did
	passedAt   time.Duration // when requests were passed last

	resting     bool   // in the list of resting queues, along nextResting
	nextResting *queue // younger
}

// active reports whether a request waits or executes in the queue.
func (q *queue) active() bool { return q.length > 0 || q.executing > 0 }

// push adds r at the end.
func (q *queue) push(r *Request) {
	if r.prev = q.tail; r.prev == nil {
		q.head = r
	} else {
		r.prev.next = r
	}
	q.tail = r
	q.length++
	q.work += r.area
}

// remove removes r, wherever it is.
func (q *queue) remove(r *Request) {
	if r.prev == nil {
		q.head = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next == nil {
		q.tail = r.prev
	} else {
		r.next.prev = r.prev
	}
	r.prev, r.next = nil, nil
	q.length--
	q.work -= r.area
}

// used returns the work that executing requests have done by now, at most MaxArea. It is
// never negative: a negative number has overflowed.
func (q *queue) used(now time.Duration) seats.Area {
	if used := seats.Area(q.using)*seats.Area(now) - q.usingSince; used >= 0 && used < seats.MaxArea {
		return used
	}
	return seats.MaxArea
}

// startAt returns S at the given time.
func (q *queue) startAt(now time.Duration) seats.Progress {
	return q.start.Add(q.used(now))
}

// tailAt returns where the last request ends in the fair schedule, or the next one would start, seen
// at the given time.
func (q *queue) tailAt(now time.Duration) seats.Progress { return q.startAt(now).Add(q.work) }

// finishAt returns where the head ends in the fair schedule, seen at the given
// time.
func (q *queue) finishAt(now time.Duration) seats.Progress {
	return q.startAt(now).Add(q.head.area)
}

// use begins the execution of a request that uses these initial seats and began at the given time.
// With negative seats it ends one.
func (q *queue) use(initial int, began time.Duration) {
	q.using += initial
	q.usingSince += seats.Area(initial) * seats.Area(began)
}

// raise raises S to the arrival of the head if it is earlier.
func (q *queue) raise(now time.Duration) { q.raiseTo(q.head.arrival, now) }

// raiseTo raises S to low if it is earlier.
func (q *queue) raiseTo(low seats.Progress, now time.Duration) {
	if late := low.Sub(q.startAt(now)); late > 0 {
		q.start = q.start.Add(late)
	}
}

// countsUntil returns the reading of R that ends the counting of q once it is inactive. Queues less
// than G ahead of R do not count, which saves their place in a heap where requests are short.
// They rest until R reaches them.
func (q *queue) countsUntil() seats.Progress { return q.start.Add(-leastWork) }
