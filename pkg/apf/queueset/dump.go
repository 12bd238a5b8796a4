package queueset

import (
	"cmp"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Dump is the content of a Set.
type Dump struct {
	// Queues is the number of queues configured.
	Queues int
	// Active are the queues in use, by index. Each stands for the flows whose hands it is first in.
	Active []QueueDump
	// Requests are ordered by queue and place in it.
	Requests []RequestDump
}

// QueueDump describes one queue.
type QueueDump struct {
	Index              int
	Waiting, Executing int // requests
	SeatsInUse         int
	NextDispatchR      float64 // the least S, in seat-seconds
	InitialSeats       int     // of the waiting requests
	Widths             int     // of the waiting requests, in seats
	Work               seats.Area
}

// RequestDump describes one request.
type RequestDump struct {
	Schema        string
	Distinguisher string
	Tenant        string
	Attributes    flow.Attributes
	Work          seats.Work
	// Queue is the index of the request's queue, -1 without one. Place is the request's position
	// among the requests that wait there, -1 if it executes.
	Queue, Place int
	// Arrived and Started are times of the Set's clock. Started is zero for a
	// request that waits.
	Arrived, Started time.Duration
}

// Dump returns the content. It changes nothing. It copies a few requests at a time and releases the
// lock of the Set in between, so that requests need not wait for it. So requests may come and go
// meanwhile; each is copied at most once.
func (s *Set) Dump() Dump {
	d := s.newDumper()
	defer d.close()
	for more := true; more; {
		more = d.step()
	}
	return d.dump()
}

// dumpStep is how many requests are copied under the lock at a time.
const dumpStep = 128

// dumper copies the content of a Set step by step.
type dumper struct {
	set      *Set
	begun    bool
	config   Config
	requests []dumpedRequest
}

// dumpedRequest is a copy of a request, and of what its queue has.
type dumpedRequest struct {
	RequestDump
	serial uint64 // orders the waiting requests; 0 if it executes
	width  int    // while it waits
	held   int    // while it executes
	start  float64
}

// newDumper returns a dumper. There is one at a time, since it moves the cursor of the Set.
func (s *Set) newDumper() *dumper {
	s.dumping.Lock()
	return &dumper{set: s}
}

func (d *dumper) close() { d.set.dumping.Unlock() }

// step copies up to dumpStep requests, and reports whether there may be more.
func (d *dumper) step() bool {
	// Lists that grow are copied. That is not done under the lock.
	d.requests = slices.Grow(d.requests, dumpStep)
	l := d.set.locked.Lock()
	defer d.set.locked.Unlock(&l)
	d.config = l.config
	if !d.begun {
		l.cursor, d.begun = l.newest, true
	}
	now := l.advance(l.clock.Now())
	for range dumpStep {
		r := l.cursor
		if r == nil {
			return false
		}
		l.cursor = r.older
		d.requests = append(d.requests, l.dump(r, now))
	}
	return true
}

func (l *lockedSet) dump(r *Request, now time.Duration) dumpedRequest {
	out := dumpedRequest{RequestDump: RequestDump{
		Schema: r.Series.Schema, Distinguisher: r.Flow, Tenant: r.Tenant, Attributes: r.Attributes, Work: r.Work,
		Queue: noQueue, Place: -1, Arrived: r.arrived,
	}}
	if r.queue != nil {
		out.Queue, out.start = l.config.queueOf(r.queue.hash), r.queue.startAt(now)
	}
	if r.phase == waiting {
		out.serial, out.width = r.serial, r.width
	} else {
		out.Started, out.held = r.started, r.held
	}
	return out
}

// dump returns what was copied.
func (d *dumper) dump() Dump {
	slices.SortStableFunc(d.requests, func(a, b dumpedRequest) int {
		return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.serial, b.serial), cmp.Compare(a.Arrived, b.Arrived))
	})
	out := Dump{Requests: make([]RequestDump, len(d.requests))}
	if d.config.Discipline == Queue {
		out.Queues = d.config.Queues
	}
	for i := range d.requests {
		r := &d.requests[i]
		if r.Queue != noQueue {
			if last := len(out.Active) - 1; last < 0 || out.Active[last].Index != r.Queue {
				out.Active = append(out.Active, QueueDump{Index: r.Queue, NextDispatchR: r.start})
			}
			out.Active[len(out.Active)-1].add(r)
		}
		out.Requests[i] = r.RequestDump
	}
	return out
}

// add adds a request of the queue.
func (q *QueueDump) add(r *dumpedRequest) {
	q.NextDispatchR = min(q.NextDispatchR, r.start)
	if r.serial == 0 {
		q.Executing++
		q.SeatsInUse += r.held
		return
	}
	r.Place = q.Waiting
	q.Waiting++
	q.InitialSeats += r.Work.Initial
	q.Widths += r.width
	q.Work += seats.AreaOf(r.Work.Initial, ServiceTimeGuess) + r.Work.FinalArea()
}
