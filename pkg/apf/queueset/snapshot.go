package queueset

import (
	"cmp"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// Figures are the numbers of a Set at one moment.
type Figures struct {
	Waiting, Executing int // requests
	// SeatsInUse are held by requests, SeatsWaiting wanted by those that wait.
	SeatsInUse, SeatsWaiting int
	QueuesWaiting            int // queues with waiting requests
	Totals                   Totals

	// How long, in nanoseconds, each share lasted: waiting requests as a share of
	// those that may wait, executing requests, seats in use, and seats in use or
	// waiting as shares of the limit.
	WaitingShare, ExecutingShare, SeatShare, DemandShare stats.Distribution

	// R now and at the last dispatch, and S of the request dispatched last, in
	// seat-seconds.
	CurrentR, DispatchR, LatestS float64
	// Bounds of S over the queues in which requests wait, and of S less the
	// estimated work in progress, in seat-seconds. All are zero without such queues.
	NextS, NextDiscountedS Range
	// EpochAdvances counts how often R passed zero.
	EpochAdvances uint64
}

// Range is a closed interval.
type Range struct{ Min, Max float64 }

// Figures returns the current numbers.
func (s *Set) Figures() Figures {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	return l.figures()
}

func (l *lockedSet) figures() Figures {
	now := l.sync()
	l.merge()
	o, f := &l.occupied, &l.queue.schedule
	out := Figures{
		Waiting: o.waiting, Executing: o.executing, SeatsInUse: o.seats, SeatsWaiting: o.seatsWanted,
		QueuesWaiting:  len(f.ordered.nodes),
		Totals:         l.totals,
		WaitingShare:   o.waitingShare.Snapshot(now),
		ExecutingShare: o.executingShare.Snapshot(now),
		SeatShare:      o.seatShare.Snapshot(now),
		DemandShare:    o.demandShare.Snapshot(now),
		CurrentR:       f.clock.SeatSeconds(),
		DispatchR:      f.dispatchClock.SeatSeconds(),
		LatestS:        f.dispatchStart.SeatSeconds(),
		EpochAdvances:  f.wraps,
	}
	out.Totals.Dispatched += l.pool.started()
	for i, n := range f.ordered.nodes {
		start := n.item.startAt(now).SeatSeconds()
		out.NextS.include(i, start)
		out.NextDiscountedS.include(i, start-seats.AreaOf(n.item.seats, ServiceTimeGuess).SeatSeconds())
	}
	return out
}

// include extends r to x. For i = 0 it sets r to x alone.
func (r *Range) include(i int, x float64) {
	if i == 0 {
		*r = Range{x, x}
		return
	}
	r.Min, r.Max = min(r.Min, x), max(r.Max, x)
}

// Dump is the content of a Set at one moment.
type Dump struct {
	// Queues is the number of queues configured.
	Queues int
	// Active are the queues in use, by index.
	Active []QueueDump
	// Requests are ordered by queue and place in it.
	Requests []RequestDump
}

// QueueDump describes one queue.
type QueueDump struct {
	Index              int
	Waiting, Executing int // requests
	SeatsInUse         int
	NextDispatchR      float64 // S, in seat-seconds
	InitialSeats       int     // of the waiting requests
	Widths             int     // of the waiting requests, in seats
	Work               seats.Area
}

// RequestDump describes one request.
type RequestDump struct {
	Schema        string
	Distinguisher string
	Attributes    flow.Attributes
	Work          seats.Work
	// Queue is the index of the request's queue, -1 without one. Place is the
	// request's position among those that wait there, -1 if it executes.
	Queue, Place int
	// Arrived and Started are times of the Set's clock. Started is zero for a
	// request that waits.
	Arrived, Started time.Duration
}

// Dump returns the current content. It holds the lock of the Set while it copies.
func (s *Set) Dump() Dump {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	return l.dump()
}

func (l *lockedSet) dump() Dump {
	now := l.sync()
	if l.config.Discipline == Queue {
		l.close(now) // assigns the requests that execute to queues
	}
	f := &l.queue.schedule
	out := Dump{Queues: f.dealer.DeckSize(), Active: make([]QueueDump, 0, len(f.used))}
	for _, q := range f.used {
		if f.unused(q) {
			continue
		}
		one := q.dump(now)
		place := 0
		for r := q.head; r != nil; r = r.next {
			out.Requests = append(out.Requests, r.dump(q.index, place))
			one.InitialSeats += r.Work.Initial
			one.Widths += r.width
			place++
		}
		out.Active = append(out.Active, one)
	}
	for i := range l.pool.shards {
		sh := l.pool.shards[i].Lock()
		for r := sh.newest; r != nil; r = r.older {
			if r.phase == executing {
				out.Requests = append(out.Requests, l.queue.dumpExecuting(r))
			}
		}
		l.pool.shards[i].Unlock(&sh)
	}
	l.reopen()
	slices.SortFunc(out.Active, func(a, b QueueDump) int { return cmp.Compare(a.Index, b.Index) })
	slices.SortStableFunc(out.Requests, func(a, b RequestDump) int {
		return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Place, b.Place), cmp.Compare(a.Arrived, b.Arrived))
	})
	return out
}

func (q *fairQueue) dumpExecuting(r *Request) RequestDump {
	index := -1
	if q.holds(r) {
		index = r.queue.index
	}
	one := r.dump(index, -1)
	one.Started = r.started
	return one
}

// dump omits the fields that are sums over the requests.
func (q *queue) dump(now time.Duration) QueueDump {
	return QueueDump{
		Index: q.index, Waiting: q.length, Executing: q.executing, SeatsInUse: q.seats,
		NextDispatchR: q.startAt(now).SeatSeconds(), Work: q.work,
	}
}

func (r *Request) dump(queue, place int) RequestDump {
	return RequestDump{
		Schema: r.Series.Schema, Distinguisher: r.Flow, Attributes: r.Attributes, Work: r.Work,
		Queue: queue, Place: place, Arrived: r.arrived,
	}
}
