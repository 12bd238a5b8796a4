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
	Waiting, Executing       int // requests
	SeatsInUse, SeatsWaiting int
	QueuesWaiting            int // queues with waiting requests
	Totals                   Totals

	// Nanoseconds by share: of the requests that may wait, of the limit in
	// requests, of the limit in seats, of the nominal limit in seats.
	WaitingShare, ExecutingShare, SeatShare, DemandShare stats.Distribution

	// Seat-seconds: R now and at the last dispatch, S of the request
	// dispatched last.
	CurrentR, DispatchR, LatestS float64
	// Bounds of S over the queues where requests wait, and of S less the
	// estimated work in progress; all zero without such queues.
	NextS, NextDiscountedS Range
	// EpochAdvances counts how often R passed zero.
	EpochAdvances uint64
}

// Range is from the least to the greatest.
type Range struct{ Min, Max float64 }

// Figures returns the numbers of the moment.
func (s *Set) Figures() Figures {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.sync()
	s.merge()
	o, f := &s.occupied, &s.schedule
	out := Figures{
		Waiting: o.waiting, Executing: o.executing, SeatsInUse: o.seats, SeatsWaiting: o.seatsWanted,
		QueuesWaiting:  len(f.ordered.nodes),
		Totals:         s.totals,
		WaitingShare:   o.waitingShare.Snapshot(now),
		ExecutingShare: o.executingShare.Snapshot(now),
		SeatShare:      o.seatShare.Snapshot(now),
		DemandShare:    o.demandShare.Snapshot(now),
		CurrentR:       f.clock.SeatSeconds(),
		DispatchR:      f.dispatchClock.SeatSeconds(),
		LatestS:        f.dispatchStart.SeatSeconds(),
		EpochAdvances:  f.wraps,
	}
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		out.Totals.Dispatched += sh.started
		sh.mu.Unlock()
	}
	for i, n := range f.ordered.nodes {
		start := n.item.startAt(now).SeatSeconds()
		out.NextS.include(i, start)
		out.NextDiscountedS.include(i, start-seats.AreaOf(n.item.seats, ServiceTimeGuess).SeatSeconds())
	}
	return out
}

func (r *Range) include(i int, x float64) {
	if i == 0 {
		*r = Range{x, x}
		return
	}
	r.Min, r.Max = min(r.Min, x), max(r.Max, x)
}

// Dump is the content of a Set at one moment.
type Dump struct {
	// Queues are the number of queues configured; Active are those with
	// requests, by index.
	Queues   int
	Active   []QueueDump
	Requests []RequestDump // by queue and place in it
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
	// Queue is its queue, -1 without one. Place is its place among those that
	// wait there, -1 if it executes.
	Queue, Place int
	// Times of the Set's clock; Started is zero for a request that waits.
	Arrived, Started time.Duration
}

// Dump returns the content of the moment. It holds the lock of the Set while
// it copies.
func (s *Set) Dump() Dump {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.sync()
	if s.config.Discipline == Queue {
		s.close(now) // which deals the executing requests to queues
	}
	f := &s.schedule
	out := Dump{Queues: s.schedule.dealer.DeckSize(), Active: make([]QueueDump, 0, len(f.used))}
	for _, q := range f.used {
		if f.rests(q) {
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
	for i := range s.shards {
		s.dumpExecuting(&s.shards[i], &out)
	}
	s.reopen()
	slices.SortFunc(out.Active, func(a, b QueueDump) int { return cmp.Compare(a.Index, b.Index) })
	slices.SortStableFunc(out.Requests, func(a, b RequestDump) int {
		return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Place, b.Place), cmp.Compare(a.Arrived, b.Arrived))
	})
	return out
}

func (s *Set) dumpExecuting(sh *shard, out *Dump) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for r := sh.oldest; r != nil; r = r.younger {
		if r.phase != executing {
			continue
		}
		index := -1
		if r.queue != nil && r.era == s.era && !s.open {
			index = r.queue.index
		}
		one := r.dump(index, -1)
		one.Started = r.started
		out.Requests = append(out.Requests, one)
	}
}

// dump leaves out what only the requests know.
func (q *queue) dump(now time.Duration) QueueDump {
	return QueueDump{
		Index: q.index, Waiting: q.length, Executing: q.executing, SeatsInUse: q.seats,
		NextDispatchR: q.startAt(now).SeatSeconds(), Work: q.work,
	}
}

func (r *Request) dump(queue, place int) RequestDump {
	return RequestDump{
		Schema: r.Series.Schema, Distinguisher: r.Distinguisher, Attributes: r.Attributes, Work: r.Work,
		Queue: queue, Place: place, Arrived: r.arrived,
	}
}
