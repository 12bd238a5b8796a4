package queueset

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// queue is an active queue: a request of it waits, executes or lingers.
type queue struct {
	index int // among the queues of the Set
	place int // among the active queues of the scheduler

	start  seats.Progress // S: where the next request starts
	finish seats.Progress // where the head ends; kept while one waits
	served uint64         // serial number of the last dispatch
	heapAt int            // position in the heap, -1 without waiting requests

	head, tail *Request
	length     int // requests waiting
	work       seats.Area
	widths     int // seats waiting, by width
	initials   int // seats waiting, initial ones

	executing int // requests executing
	lingering int // requests in their additional latency
	seats     int // in use by both
}

func (q *queue) before(other *queue) bool {
	if q.finish != other.finish {
		return q.finish.Before(other.finish)
	}
	if q.served != other.served {
		return q.served < other.served
	}
	return q.index < other.index
}

func (q *queue) moved(to int) { q.heapAt = to }

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
	q.widths += r.width
	q.initials += r.Work.Initial
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
	q.widths -= r.width
	q.initials -= r.Work.Initial
}

// bound keeps the head from starting, in the ideal world, before it arrived.
func (q *queue) bound() {
	if q.head != nil && q.start.Before(q.head.arrival) {
		q.start = q.head.arrival
	}
}
