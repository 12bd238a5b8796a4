package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// ServiceTimeGuess is G of the package comment: how long a request is assumed to
// run until it has run.
const ServiceTimeGuess = 3 * time.Millisecond

// queueHeap orders queues by virtual time.
type queueHeap = heap[seats.Progress, *queue]

// scheduler is the fair schedule: it orders waiting requests by virtual time. It
// knows queues, but neither free seats nor locks.
type scheduler struct {
	dealer   flow.Dealer
	last     time.Duration  // when the virtual clock was advanced last
	limit    int            // seats: C of the package comment
	clock    seats.Progress // R
	wraps    uint64         // how often R passed zero
	queues   []*queue       // by index, nil until used; may be longer than the deck
	used     []*queue       // those that are not nil, unordered
	active   int            // how many queues are active
	ahead    queueHeap      // inactive queues that count
	ordered  queueHeap      // those in which requests wait, by the finish of the head, or earlier
	spares   []*queue       // for reuse
	waiting  int            // requests
	arrivals int            // rotates the first choice in a hand
	widths   widthCounts    // of the requests that wait
	serial   uint64         // of the last change of a head
	// overtaken waits, was first in the schedule and did not fit when a request
	// overtook it. It is nil if there is no such request.
	overtaken *Request

	dispatchClock seats.Progress // R at the last dispatch
	dispatchStart seats.Progress // S of the request dispatched last
}

// choose returns the queue of the flow's hand with the least work waiting, and of
// several the one with the least S.
func (s *scheduler) choose(hash flow.Hash) *queue {
	if deck := s.dealer.DeckSize(); len(s.queues) < deck {
		s.queues = append(s.queues, make([]*queue, deck-len(s.queues))...)
	}
	var space [flow.MaxHand]int
	hand := s.dealer.Deal(hash, space[:0])
	at := s.arrivals % len(hand)
	s.arrivals++
	best := hand[at]
	for range hand {
		index := hand[at]
		if at++; at == len(hand) {
			at = 0
		}
		if s.vacant(index) {
			best = index
			break
		}
		if s.queues[index].better(s.queues[best], s.last) {
			best = index
		}
	}
	if s.queues[best] == nil {
		s.queues[best] = s.newQueue(best)
	}
	return s.queues[best]
}

// vacant reports whether no queue is better for a new request than the given one:
// no request waits there, and its S is not beyond R. Then choose does not read the
// rest of the hand, see BenchmarkManyFlows.
func (s *scheduler) vacant(index int) bool {
	q := s.queues[index]
	return q == nil || q.length == 0 && q.held == 0 && !s.clock.Before(q.startAt(s.last))
}

// unused reports whether q is the same as a queue that was never used.
func (s *scheduler) unused(q *queue) bool {
	return !q.active() && q.finishing == 0 && q.held == 0 && !s.clock.Before(q.start)
}

// activate prepares q for a request: a queue that was not active starts at R, if
// it is not beyond.
func (s *scheduler) activate(q *queue) {
	if q.active() {
		return
	}
	s.active++
	if q.start.Before(s.clock) {
		q.start = s.clock
	}
	if s.clock.Before(q.countsUntil()) {
		s.ahead.remove(s.ahead.find(q.index))
	}
}

// deactivate is called when a request has left q or has ended there. A queue that is
// no longer active counts as long as it is ahead of R.
func (s *scheduler) deactivate(q *queue) {
	if q.active() {
		return
	}
	s.active--
	if until := q.countsUntil(); s.clock.Before(until) {
		s.ahead.push(node[seats.Progress, *queue]{rank: rank[seats.Progress]{at: until}, number: q.index, item: q})
	}
}

// enqueue adds r to the end of q.
func (s *scheduler) enqueue(r *Request, q *queue) {
	s.activate(q)
	r.queue, r.arrival = q, s.clock
	r.area = seats.AreaOf(r.Work.Initial, ServiceTimeGuess) + r.Work.FinalArea()
	if q.length == 0 {
		s.takeTurn(q)
	}
	q.push(r)
	s.waiting++
	s.widths.add(r.width, 1)
	s.reorder(q)
}

// rejoin adds r, which was withdrawn, to its queue again. It starts in the ideal world no
// earlier than now.
func (s *scheduler) rejoin(r *Request) {
	q := r.queue
	s.activate(q)
	r.arrival = s.clock
	q.insertInTurn(r)
	if q.head == r {
		s.takeTurn(q)
	}
	s.waiting++
	s.widths.add(r.width, 1)
	s.reorder(q)
}

// reorder moves q to its position in the heap after its S or its head has changed.
func (s *scheduler) reorder(q *queue) {
	i := s.ordered.find(q.index)
	if q.head == nil {
		if i >= 0 {
			s.ordered.remove(i)
		}
		return
	}
	q.raise(s.last)
	r := rank[seats.Progress]{at: q.finishAt(s.last), turn: q.turn}
	if i < 0 {
		s.ordered.push(node[seats.Progress, *queue]{rank: r, number: q.index, item: q})
	} else {
		s.ordered.rerank(i, r)
	}
}

// next returns the first waiting request of the schedule, nil without any.
//
// S of a queue grows while its requests execute, so ranks in the heap may be those
// of an earlier time. Since they only grow, next updates the first rank until the
// queue that is first has an up-to-date one. BenchmarkManyFlows measures what is
// saved by updating no others.
func (s *scheduler) next() *Request {
	if s.waiting == 0 {
		return nil
	}
	return s.first().item.head
}

// first returns the node of the queue that is first in the schedule. A request must
// wait.
func (s *scheduler) first() *node[seats.Progress, *queue] {
	for {
		first := &s.ordered.nodes[0]
		finish := first.item.finishAt(s.last)
		if finish == first.at {
			return first
		}
		s.ordered.rerank(0, rank[seats.Progress]{at: finish, turn: first.turn})
	}
}

// withdraw removes a waiting request from its queue.
func (s *scheduler) withdraw(r *Request) {
	q := r.queue
	s.detach(r)
	s.deactivate(q)
	s.reorder(q)
}

func (s *scheduler) detach(r *Request) {
	r.queue.remove(r)
	if r == s.overtaken {
		s.overtaken = nil
	}
	s.waiting--
	s.widths.add(r.width, -1)
}

// takeTurn puts q behind the queues of equal rank, since it has a new head.
func (s *scheduler) takeTurn(q *queue) {
	s.serial++
	q.turn = s.serial
}

// dispatch starts the execution of r, which waited and holds r.held seats from now
// on.
func (s *scheduler) dispatch(r *Request, now time.Duration) {
	q := r.queue
	s.detach(r)
	s.takeTurn(q)
	s.dispatchStart = q.startAt(now)
	s.catchUp(s.dispatchStart.Add(-seats.AreaOf(q.using, ServiceTimeGuess)))
	s.dispatchClock = s.clock
	s.charge(r, q, now)
	s.reorder(q)
}

// charge charges q for r, which executes there from now on.
func (s *scheduler) charge(r *Request, q *queue, now time.Duration) {
	q.executing++
	q.seats += r.held
	s.add(q, r.area)
	q.use(r.Work.Initial, now)
	r.charged = now
}

// assignQueue assigns r, which executes without a queue, to one.
func (s *scheduler) assignQueue(r *Request, now time.Duration) {
	q := s.choose(r.hash())
	s.activate(q)
	r.queue = q
	r.area = seats.AreaOf(r.Work.Initial, ServiceTimeGuess) + r.Work.FinalArea()
	s.charge(r, q, now)
}

// finish ends the execution of r, which still holds its final seats.
func (s *scheduler) finish(r *Request, now time.Duration, final int) {
	q := r.queue
	q.executing--
	q.seats -= r.held - final
	if final > 0 {
		q.finishing++
	}
	q.use(-r.Work.Initial, r.charged)
	s.add(q, seats.AreaOf(r.Work.Initial, now-r.charged-ServiceTimeGuess))
	s.deactivate(q)
	s.reorder(q)
}

// release ends the additional latency of a request, which held final seats.
func (s *scheduler) release(q *queue, final int) {
	q.finishing--
	q.seats -= final
}
