package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// ServiceTimeGuess is G of the package comment: how long a request is assumed to
// run until it has run.
const ServiceTimeGuess = 3 * time.Millisecond

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
	f.ahead.drop(q.number)
}

// deactivate is called when a request has left q or has ended there.
func (f *fairQueue) deactivate(q *queue) {
	if !q.active() {
		f.active--
		f.settle(q)
	}
}

// guess returns W of the package comment, the work of r as far as it is known before it has run.
func guess(r *Request) seats.Area {
	return seats.AreaOf(r.Work.Initial, ServiceTimeGuess) + r.Work.FinalArea()
}

// enqueue adds r to the end of q.
func (f *fairQueue) enqueue(r *Request, q *queue) {
	f.activate(q)
	r.queue, r.arrival = q, f.clock
	f.serial++
	r.serial = f.serial
	if q.length == 0 {
		q.headSerial = r.serial
	}
	r.area = guess(r)
	q.push(r)
	f.waiting++
	f.widths.add(r.width, 1)
	f.reorder(q)
}

// reorder moves q to its position in the heaps after its S or its requests have changed.
func (f *fairQueue) reorder(q *queue) {
	if q.head == nil {
		f.ordered.drop(q.number)
	} else {
		q.raise(f.last)
		f.ordered.place(node[seats.Progress, *queue]{rank: rank[seats.Progress]{at: q.finishAt(f.last), tiebreak: q.headSerial}, number: q.number, item: q})
	}
	f.crowd.reorder(q)
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
	q := f.first().item
	for f.pass(q) {
		q = f.first().item
	}
	return q.head
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
	f.crowd.disperse(f.waiting)
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
	q.served(r, now)
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
	q := f.queueOf(r.hash())
	f.activate(q)
	r.queue = q
	r.area = guess(r)
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
