package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// ServiceTimeGuess is G of the package comment: how long a request is assumed to
// run until it has run.
const ServiceTimeGuess = 3 * time.Millisecond

// choose returns the queue of the flow's hand with the least work waiting, and of
// several the one with the least S.
func (f *fairQueue) choose(hash flow.Hash) *queue {
	if deck := f.dealer.DeckSize(); len(f.queues) < deck {
		f.queues = append(f.queues, make([]*queue, deck-len(f.queues))...)
	}
	var space [flow.MaxHand]int
	hand := f.dealer.Deal(hash, space[:0])
	at := f.arrivals % len(hand)
	f.arrivals++
	best := hand[at]
	for range hand {
		index := hand[at]
		if at++; at == len(hand) {
			at = 0
		}
		if f.vacant(index) {
			best = index
			break
		}
		if f.queues[index].better(f.queues[best], f.last) {
			best = index
		}
	}
	if f.queues[best] == nil {
		f.queues[best] = f.newQueue(best)
	}
	return f.queues[best]
}

// vacant reports whether no queue is better for a new request than the given one:
// no request waits there, and its S is not beyond R. Then choose does not read the
// rest of the hand, see BenchmarkManyFlows.
func (f *fairQueue) vacant(index int) bool {
	q := f.queues[index]
	return q == nil || q.length == 0 && !f.clock.Before(q.startAt(f.last))
}

// unused reports whether q is the same as a queue that was never used.
func (f *fairQueue) unused(q *queue) bool {
	return !q.active() && q.finishing == 0 && !f.clock.Before(q.start)
}

// activate prepares q for a request: a queue that was not active starts at R, if
// it is not beyond.
func (f *fairQueue) activate(q *queue) {
	if q.active() {
		return
	}
	f.active++
	if q.start.Before(f.clock) {
		q.start = f.clock
	}
	if f.clock.Before(q.countsUntil()) {
		f.ahead.remove(f.ahead.find(q.index))
	}
}

// deactivate is called when a request has left q or has ended there. A queue that is
// no longer active counts as long as it is ahead of R.
func (f *fairQueue) deactivate(q *queue) {
	if q.active() {
		return
	}
	f.active--
	if until := q.countsUntil(); f.clock.Before(until) {
		f.ahead.push(node[seats.Progress, *queue]{rank: rank[seats.Progress]{at: until}, number: q.index, item: q})
	}
}

// enqueue adds r to the end of q.
func (f *fairQueue) enqueue(r *Request, q *queue) {
	f.activate(q)
	r.queue, r.arrival = q, f.clock
	r.area = seats.AreaOf(r.Work.Initial, ServiceTimeGuess) + r.Work.FinalArea()
	if q.length == 0 {
		f.putBehindEqual(q)
	}
	q.push(r)
	f.waiting++
	f.widths.add(r.width, 1)
	f.reorder(q)
}

// reorder moves q to its position in the heap after its S or its head has changed.
func (f *fairQueue) reorder(q *queue) {
	i := f.ordered.find(q.index)
	if q.head == nil {
		if i >= 0 {
			f.ordered.remove(i)
		}
		return
	}
	q.raise(f.last)
	r := rank[seats.Progress]{at: q.finishAt(f.last), tiebreak: q.headSerial}
	if i < 0 {
		f.ordered.push(node[seats.Progress, *queue]{rank: r, number: q.index, item: q})
	} else {
		f.ordered.rerank(i, r)
	}
}

// next returns the first waiting request of the schedule, nil without any.
//
// S of a queue grows while its requests execute, so ranks in the heap may be from an earlier time.
// Since they only grow, next updates the first rank until the queue that is first has an up-to-date
// one. BenchmarkManyFlows measures what is saved by updating no others.
func (f *fairQueue) next() *Request {
	if f.waiting == 0 {
		return nil
	}
	return f.first().item.head
}

// first returns the node of the queue that is first in the schedule. A request must
// wait.
func (f *fairQueue) first() *node[seats.Progress, *queue] {
	for {
		first := &f.ordered.nodes[0]
		finish := first.item.finishAt(f.last)
		if finish == first.at {
			return first
		}
		f.ordered.rerank(0, rank[seats.Progress]{at: finish, tiebreak: first.tiebreak})
	}
}

// withdraw removes a waiting request from its queue.
func (f *fairQueue) withdraw(r *Request) {
	q := r.queue
	f.detach(r)
	f.deactivate(q)
	f.reorder(q)
}

func (f *fairQueue) detach(r *Request) {
	r.queue.remove(r)
	if r == f.overtaken {
		f.overtaken = nil
	}
	f.waiting--
	f.widths.add(r.width, -1)
}

// putBehindEqual puts q behind the queues of equal rank, since it has a new head.
func (f *fairQueue) putBehindEqual(q *queue) {
	f.serial++
	q.headSerial = f.serial
}

// dispatch starts the execution of r, which waited and has its seats.
func (f *fairQueue) dispatch(r *Request, now time.Duration) {
	q := r.queue
	f.detach(r)
	f.putBehindEqual(q)
	f.dispatchStart = q.startAt(now)
	f.catchUp(f.dispatchStart.Add(-seats.AreaOf(q.using, ServiceTimeGuess)))
	f.dispatchClock = f.clock
	f.charge(r, q, now)
	f.reorder(q)
}

// charge charges q for r, which executes there from now on.
func (f *fairQueue) charge(r *Request, q *queue, now time.Duration) {
	q.executing++
	q.seats += r.held
	f.add(q, r.area)
	q.use(r.Work.Initial, now)
	r.charged = now
}

// adopt assigns r, which executes without a queue, to one. Its seats are counted already.
func (f *fairQueue) adopt(r *Request, now time.Duration) {
	q := f.choose(r.hash())
	f.activate(q)
	r.queue = q
	r.area = seats.AreaOf(r.Work.Initial, ServiceTimeGuess) + r.Work.FinalArea()
	f.charge(r, q, now)
	r.era = f.era
}

// unseat ends the execution of r, which is in a queue and still holds its final seats.
func (f *fairQueue) unseat(r *Request, now time.Duration, final int) {
	q := r.queue
	q.executing--
	q.seats -= r.held - final
	if final > 0 {
		q.finishing++
	}
	q.use(-r.Work.Initial, r.charged)
	f.add(q, seats.AreaOf(r.Work.Initial, now-r.charged-ServiceTimeGuess))
	f.deactivate(q)
	f.reorder(q)
}
