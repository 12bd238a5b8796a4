package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// ServiceTimeGuess is G of the package comment: how long a request is taken to
// run until it has.
const ServiceTimeGuess = 3 * time.Millisecond

// maxLag is how far R may lag behind the queue that is dispatched, in time at
// the rate of R.
const maxLag = time.Second

// scheduler is the fair schedule of a closed Set. It knows queues and virtual
// time, but neither seats that are free nor locks.
type scheduler struct {
	dealer   flow.Dealer
	last     time.Duration  // when clock was true
	limit    int            // in seats
	clock    seats.Progress // R
	wraps    uint64         // how often R passed zero
	queues   []*queue       // by index, nil until used; may be longer than the deck
	used     []*queue       // all of those, in no order
	busy     int            // those that are active in the fair schedule
	ordered  heap[*queue]   // those with waiting requests, by the finish of the head, or earlier
	spares   []*queue       // some that can be used again
	waiting  int            // requests
	arrivals int            // rotates the first choice in a hand
	crowd    crowd          // requests that wait, by width
	serial   uint64         // of the last dispatch

	dispatchClock seats.Progress // R at the last dispatch
	dispatchStart seats.Progress // S of the request dispatched last
}

// sync moves the virtual clock to now, given that since the last time so many
// seats were in use.
func (s *scheduler) sync(now time.Duration, inUse int) {
	if now <= s.last {
		return
	}
	s.advance(seats.Advance(now-s.last, min(inUse, s.limit), s.busy))
	s.last = now
}

func (s *scheduler) advance(by seats.Area) {
	before := s.clock
	s.clock = before.Add(by)
	if s.clock < before {
		s.wraps++
	}
	if (s.clock^before)>>quarter != 0 {
		s.refresh()
	}
}

// quarter is the bit of R that changes with each quarter of its round.
const quarter = 62

// refresh brings forward the queues that R has passed and that have nothing to do,
// as activate would: of readings half a round apart nobody can tell which is
// earlier.
func (s *scheduler) refresh() {
	for _, q := range s.used {
		if !q.active() && q.start.Before(s.clock) {
			q.start = s.clock
		}
	}
}

// choose returns the queue of the flow's hand with the least work waiting, of
// several the one that had least.
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

// vacant reports whether no queue is better for a new request than the given
// one: nothing waits there, and it has not had more than its share.
func (s *scheduler) vacant(index int) bool {
	q := s.queues[index]
	return q == nil || q.length == 0 && !s.clock.Before(q.startAt(s.last))
}

// rests reports whether q might as well never have been used.
func (s *scheduler) rests(q *queue) bool {
	return !q.active() && q.lingering == 0 && !s.clock.Before(q.start)
}

// activate must be called before q gets a request.
func (s *scheduler) activate(q *queue) {
	if !q.active() {
		if q.start.Before(s.clock) {
			q.start = s.clock
		}
		s.busy++
	}
}

// enqueue puts r at the end of q.
func (s *scheduler) enqueue(r *Request, q *queue) {
	s.activate(q)
	r.queue, r.arrival = q, s.clock
	r.area = seats.AreaOf(r.Work.Initial, ServiceTimeGuess) + r.Work.FinalArea()
	q.push(r)
	s.waiting++
	s.crowd.add(r.width, 1)
	s.reorder(q)
}

// reorder brings q to its place after its start or its head has changed.
func (s *scheduler) reorder(q *queue) {
	place := s.ordered.find(q.index)
	if q.head == nil {
		if place >= 0 {
			s.ordered.remove(place)
		}
		return
	}
	q.bound(s.last)
	r := rank{finish: q.finishAt(s.last), turn: q.served}
	if place < 0 {
		s.ordered.push(node[*queue]{rank: r, number: q.index, item: q})
	} else {
		s.ordered.rerank(place, r)
	}
}

// next returns the waiting request whose turn it is, nil without any.
//
// S of a queue grows while requests of it execute, so the order in the heap is
// that of some earlier time. But it grows only: what is first, and is still
// first when it is brought up to date, is first indeed.
func (s *scheduler) next() *Request {
	if s.waiting == 0 {
		return nil
	}
	for {
		first := s.ordered.nodes[0]
		finish := first.item.finishAt(s.last)
		if finish == first.finish {
			return first.item.head
		}
		s.ordered.rerank(0, rank{finish: finish, turn: first.turn})
	}
}

// withdraw takes a waiting request out of its queue.
func (s *scheduler) withdraw(r *Request) {
	q := r.queue
	s.detach(r)
	if !q.active() {
		s.busy--
	}
	s.reorder(q)
}

func (s *scheduler) detach(r *Request) {
	r.queue.take(r)
	s.waiting--
	s.crowd.add(r.width, -1)
}

// dispatch starts the execution of r, which holds r.held seats from now on.
func (s *scheduler) dispatch(r *Request, now time.Duration) {
	q := r.queue
	s.detach(r)
	s.serial++
	q.served = s.serial
	s.dispatchStart = q.startAt(now)
	s.catchUp(s.dispatchStart.Add(-seats.AreaOf(q.using, ServiceTimeGuess) - seats.Advance(maxLag, s.limit, s.busy)))
	s.dispatchClock = s.clock
	s.charge(r, q, now)
	s.reorder(q)
}

// catchUp raises the virtual clock to at, if it lags behind.
func (s *scheduler) catchUp(at seats.Progress) {
	if s.clock.Before(at) {
		s.advance(at.Sub(s.clock))
	}
}

func (s *scheduler) charge(r *Request, q *queue, now time.Duration) {
	q.executing++
	q.seats += r.held
	q.start = q.start.Add(r.area)
	q.use(r.Work.Initial, now)
	r.charged = now
}

// adopt deals r, which executes without a queue, to one.
func (s *scheduler) adopt(r *Request, now time.Duration) {
	q := s.choose(r.hash())
	s.activate(q)
	r.queue = q
	r.area = seats.AreaOf(r.Work.Initial, ServiceTimeGuess) + r.Work.FinalArea()
	s.charge(r, q, now)
}

// finish ends the execution of r, which goes on holding some seats if it
// lingers.
func (s *scheduler) finish(r *Request, now time.Duration, lingering int) {
	q := r.queue
	q.executing--
	q.seats -= r.held - lingering
	if lingering > 0 {
		q.lingering++
	}
	if !q.active() {
		s.busy--
	}
	q.use(-r.Work.Initial, r.charged)
	q.start = q.start.Add(seats.AreaOf(r.Work.Initial, now-r.charged-ServiceTimeGuess))
	s.reorder(q)
}

// release ends the additional latency of a request.
func (s *scheduler) release(q *queue, lingering int) {
	q.lingering--
	q.seats -= lingering
}
