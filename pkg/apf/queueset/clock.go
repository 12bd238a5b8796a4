package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// maxLag is how far R may lag behind the queue that is dispatched, in time at
// the rate of R.
const maxLag = time.Second

// leastWork is the least work of a request that has not run: one seat for G.
const leastWork = seats.Area(ServiceTimeGuess)

// sync advances the virtual clock to now, given the number of seats that were in
// use since it was advanced last.
func (s *scheduler) sync(now time.Duration, inUse int) {
	if now <= s.last {
		return
	}
	work := seats.AreaOf(min(inUse, s.limit), now-s.last)
	s.last = now
	s.share(work)
}

// share advances R by the work that was done, which the queues that count share
// equally. Queues that are ahead count until R reaches them.
func (s *scheduler) share(work seats.Area) {
	room := s.room(work / seats.Area(max(s.active, 1)))
	for room > 0 {
		queues := seats.Area(s.counting())
		if queues == 0 {
			return
		}
		by := min(work/queues, room)
		if len(s.ahead.nodes) == 0 || s.clock.Add(by).Before(s.ahead.nodes[0].at) {
			s.advance(by)
			return
		}
		by = s.ahead.nodes[0].at.Sub(s.clock)
		s.advance(by)
		work -= by * queues
		room -= by
	}
}

// counting returns the number of queues that count: those that are active, and those
// that are ahead.
func (s *scheduler) counting() int { return s.active + len(s.ahead.nodes) }

// room returns by how much R may advance, at most the given amount, so that it does
// not lead the requests that wait.
func (s *scheduler) room(by seats.Area) seats.Area {
	// The first rank in the heap may be that of an earlier time, and then is too low.
	if s.waiting == 0 || s.clock.Add(by+leastWork).Before(s.ordered.nodes[0].at) {
		return by
	}
	first := s.first()
	most := first.at.Add(-leastWork)
	if first.item.head == s.overtaken {
		most = first.at.Add(s.maxOvertaken())
	}
	return max(0, min(by, most.Sub(s.clock)))
}

// catchUp raises R if it lags too far behind at, where the queue is that is
// dispatched.
func (s *scheduler) catchUp(at seats.Progress) {
	if least := at.Add(-seats.Advance(maxLag, s.limit, s.counting())); s.clock.Before(least) {
		s.advance(least.Sub(s.clock))
	}
}

// advance advances R. Queues that it reaches are no longer ahead.
func (s *scheduler) advance(by seats.Area) {
	before := s.clock
	s.clock = before.Add(by)
	if s.clock < before {
		s.wraps++
	}
	if (s.clock^before)/seats.Progress(seats.MaxArea) != 0 {
		s.refresh()
	}
	for len(s.ahead.nodes) > 0 && !s.clock.Before(s.ahead.nodes[0].at) {
		s.ahead.remove(0)
	}
}

// refresh keeps queues and waiting requests from falling behind R by half its range,
// where readings cannot be compared: inactive queues are raised to R, as activate would,
// and others to MaxArea behind it. It is called whenever R has advanced by MaxArea.
func (s *scheduler) refresh() {
	for _, q := range s.used {
		if !q.active() {
			q.raiseTo(s.clock, s.last)
			continue
		}
		low := s.clock.Add(-seats.MaxArea)
		q.raiseTo(low, s.last)
		for r := q.head; r != nil; r = r.next {
			if r.arrival.Before(low) {
				r.arrival = low
			}
		}
		s.reorder(q)
	}
}

// add adds work to S of q, which is at most twice MaxArea ahead of R afterwards, and what
// is executing.
func (s *scheduler) add(q *queue, work seats.Area) {
	q.start = q.start.Add(work)
	if most := s.clock.Add(2 * seats.MaxArea); most.Before(q.start) {
		q.start = most
	}
}
