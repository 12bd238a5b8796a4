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

// sync advances the virtual clock to now. Since it was advanced last, as many seats were in
// use as are now.
func (f *fairQueue) sync(now time.Duration) {
	if now <= f.last {
		return
	}
	work := seats.AreaOf(min(f.inUse, f.limit), now-f.last)
	f.last = now
	f.share(work)
}

// share advances R by the work done. The queues that count share it equally. Queues that are ahead
// count until R reaches them.
func (f *fairQueue) share(work seats.Area) {
	room := f.room(work / seats.Area(max(f.active, 1)))
	for room > 0 {
		queues := seats.Area(f.counting())
		if queues == 0 {
			return
		}
		by := min(work/queues, room)
		if len(f.ahead.nodes) == 0 || f.clock.Add(by).Before(f.ahead.nodes[0].at) {
			f.advance(by)
			return
		}
		by = f.ahead.nodes[0].at.Sub(f.clock)
		f.advance(by)
		work -= by * queues
		room -= by
	}
}

// counting returns the number of queues that count: active ones, and ones that are ahead.
func (f *fairQueue) counting() int { return f.active + len(f.ahead.nodes) }

// room returns by how much R may advance, at most the given amount, so that it does
// not lead the requests that wait.
func (f *fairQueue) room(by seats.Area) seats.Area {
	// The first rank in the heap may be from an earlier time, and then is too low.
	if f.waiting == 0 || f.clock.Add(by+leastWork).Before(f.ordered.nodes[0].at) {
		return by
	}
	first := f.first()
	most := first.at.Add(-leastWork)
	if first.item.head == f.overtaken {
		most = first.at.Add(f.maxOvertaken())
	}
	return max(0, min(by, most.Sub(f.clock)))
}

// catchUp raises R if it lags too far behind at, where the queue is that is
// dispatched.
func (f *fairQueue) catchUp(at seats.Progress) {
	if least := at.Add(-seats.Advance(maxLag, f.limit, f.counting())); f.clock.Before(least) {
		f.advance(least.Sub(f.clock))
	}
}

// advance advances R. Queues that it reaches no longer count.
func (f *fairQueue) advance(by seats.Area) {
	before := f.clock
	f.clock = before.Add(by)
	if f.clock < before {
		f.wraps++
	}
	if (f.clock^before)/seats.Progress(seats.MaxArea) != 0 {
		f.refresh()
	}
	for len(f.ahead.nodes) > 0 && !f.clock.Before(f.ahead.nodes[0].at) {
		q := f.ahead.nodes[0].item
		f.ahead.remove(0)
		f.rest(q)
	}
}

// refresh keeps queues and waiting requests from falling behind R by half its range,
// where readings cannot be compared: inactive queues are raised to R, as activate would,
// and others to MaxArea behind it. It is called whenever R has advanced by MaxArea.
func (f *fairQueue) refresh() {
	for _, q := range f.queues {
		if !q.active() {
			q.raiseTo(f.clock, f.last)
			continue
		}
		low := f.clock.Add(-seats.MaxArea)
		q.raiseTo(low, f.last)
		for r := q.head; r != nil; r = r.next {
			if r.arrival.Before(low) {
				r.arrival = low
			}
		}
		f.reorder(q)
	}
}

// add adds work to S of q, which is at most twice MaxArea ahead of R afterwards, and what
// is executing.
func (f *fairQueue) add(q *queue, work seats.Area) {
	q.start = q.start.Add(work)
	if most := f.clock.Add(2 * seats.MaxArea); most.Before(q.start) {
		q.start = most
	}
}
