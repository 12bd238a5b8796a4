package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// queue is a queue that was active since the Set closed. What a choice looks at
// comes first.
type queue struct {
	work  seats.Area     // of those that wait
	start seats.Progress // S less what executing requests have used so far

	// What executing requests use now: initial seats, and the sum of those
	// times when each began. The latter counts modulo 2^64, as does all that is
	// derived from it; only differences are used, and they are small.
	using      int
	usingSince uint64

	length     int // requests waiting
	head, tail *Request

	executing int // requests executing
	lingering int // requests in their additional latency
	seats     int // in use by both

	served uint64 // serial number of the last dispatch
	index  int    // among the queues of the Set
}

// better reports whether a new request should join q rather than another queue.
func (q *queue) better(other *queue, now time.Duration) bool {
	if q.work != other.work {
		return q.work < other.work
	}
	return q.startAt(now).Before(other.startAt(now))
}

// active says that the queue takes part in the fair schedule.
func (q *queue) active() bool { return q.length > 0 || q.executing > 0 }

func (q *queue) push(r *Request) {
	r.prev, r.next = q.tail, nil
	if q.tail == nil {
		q.head = r
	} else {
		q.tail.next = r
	}
	q.tail = r
	q.length++
	q.work += r.area
}

func (q *queue) take(r *Request) {
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

// used is the work that executing requests have done by now.
func (q *queue) used(now time.Duration) seats.Area {
	return seats.Area(uint64(q.using)*uint64(now) - q.usingSince)
}

// startAt is S at the given time.
func (q *queue) startAt(now time.Duration) seats.Progress {
	return q.start.Add(q.used(now))
}

// finishAt is where the head ends in the fair schedule, seen at the given time.
func (q *queue) finishAt(now time.Duration) seats.Progress {
	return q.startAt(now).Add(q.head.area)
}

// use begins or, with negative seats, ends the execution of a request that
// uses so many initial seats and began at the given time.
func (q *queue) use(initial int, began time.Duration) {
	q.using += initial
	q.usingSince += uint64(initial) * uint64(began)
}

// bound keeps the head from starting, in the ideal world, before it arrived.
func (q *queue) bound(now time.Duration) {
	if late := q.head.arrival.Sub(q.startAt(now)); late > 0 {
		q.start = q.start.Add(late)
	}
}
