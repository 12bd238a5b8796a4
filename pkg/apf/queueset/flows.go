package queueset

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

const (
	// maxDebts bounds the number of inactive queues that count, and of as many others that owe something.
	// The least debt is forgotten first. A queue takes less memory than a thirtieth of a request that
	// waits with its goroutine, so this is little beside the requests that one level may hold.
	maxDebts = 4096
	// maxSpares bounds the number of queues that a level at rest keeps for reuse: BenchmarkIdleLevel.
	maxSpares = 64
)

// restingQueues is a list, the oldest first. A queue in it that is used again leaves it later, when
// it is the oldest.
type restingQueues struct {
	oldest, youngest *queue
	length           int
}

// queueOf returns the queue of a flow.
func (f *fairQueue) queueOf(hash flow.Hash) *queue {
	if q := f.flows[hash]; q != nil {
		return q
	}
	var q *queue
	if last := len(f.spares) - 1; last >= 0 {
		q, f.spares = f.spares[last], f.spares[:last]
	} else {
		q = &queue{number: len(f.queues)}
		f.queues = append(f.queues, q)
	}
	*q = queue{hash: hash, number: q.number, start: f.clock, executions: f.executions.ofNewFlow()}
	if f.flows == nil {
		f.flows = map[flow.Hash]*queue{}
	}
	f.flows[hash] = q
	return q
}

// unused reports whether q is the same as the queue of a flow that was never seen.
func (f *fairQueue) unused(q *queue) bool {
	return !q.active() && q.finishing == 0 && !f.clock.Before(q.start)
}

// settle decides what remains of q if it is inactive: it counts as long as it is ahead of R.
func (f *fairQueue) settle(q *queue) {
	if q.active() {
		return
	}
	if until := q.countsUntil(); f.clock.Before(until) {
		f.ahead.place(node[seats.Progress, *queue]{rank: rank[seats.Progress]{at: until}, number: q.number, item: q})
	} else {
		f.rest(q)
	}
	if len(f.ahead.nodes) > maxDebts {
		least := f.ahead.nodes[0].item
		f.ahead.remove(0)
		least.start = f.clock
		f.rest(least)
	}
	f.wake()
}

// rest forgets q, which is inactive and does not count, as soon as R reaches it.
func (f *fairQueue) rest(q *queue) {
	switch l := &f.resting; {
	case q.resting || q.finishing > 0:
		return
	case f.unused(q):
		f.forget(q)
		return
	case l.youngest == nil:
		l.oldest = q
	default:
		l.youngest.nextResting = q
	}
	q.resting = true
	f.resting.youngest = q
	f.resting.length++
}

// wake forgets the queues that need not rest any longer.
func (f *fairQueue) wake() {
	l := &f.resting
	for l.oldest != nil && (l.length > maxDebts || !f.owes(l.oldest)) {
		gone := l.oldest
		if l.oldest = gone.nextResting; l.oldest == nil {
			l.youngest = nil
		}
		l.length--
		gone.resting, gone.nextResting = false, nil
		if !gone.active() && gone.finishing == 0 && f.ahead.find(gone.number) < 0 {
			f.forget(gone)
		}
	}
}

// owes reports whether q, which is in the list of resting queues, is there for a reason.
func (f *fairQueue) owes(q *queue) bool {
	return !q.active() && f.clock.Before(q.start) && !f.clock.Before(q.countsUntil())
}

// forget makes q a spare.
func (f *fairQueue) forget(q *queue) {
	delete(f.flows, q.hash)
	q.start = f.clock
	f.spares = append(f.spares, q)
}

// dissolve forgets all queues. No request may wait in any. It releases the memory that many queues
// have taken.
func (f *fairQueue) dissolve() {
	f.active = 0
	f.ahead.clear()
	f.crowd.disperse(0)
	f.resting = restingQueues{}
	for _, q := range f.flows {
		*q = queue{number: q.number, start: f.clock}
	}
	if len(f.queues) > maxSpares {
		clear(f.queues[maxSpares:])
		f.queues = append([]*queue(nil), f.queues[:maxSpares]...)
		f.spares, f.flows, f.ordered, f.ahead, f.crowd = nil, nil, queueHeap{}, queueHeap{}, crowd{}
	}
	clear(f.flows)
	f.spares = append(f.spares[:0], f.queues...)
}
