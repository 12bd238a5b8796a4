package queueset

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Figures are the numbers of a Set at one moment.
type Figures struct {
	Waiting, Executing int // requests
	// SeatsInUse are held by requests, SeatsWaiting are wanted by waiting ones.
	SeatsInUse, SeatsWaiting int
	QueuesWaiting            int // queues with waiting requests
	Totals                   Totals

	// How long, in nanoseconds, each share lasted: waiting requests as a share of
	// the requests that may wait, executing requests, seats in use, and seats in
	// use or waiting as shares of the limit.
	WaitingShare, ExecutingShare, SeatShare, DemandShare Distribution

	// R now and at the last dispatch, and S of the request dispatched last, in
	// seat-seconds.
	CurrentR, DispatchR, LatestS float64
	// Bounds of S over the queues with waiting requests, and of S less the estimated work in
	// progress, in seat-seconds. All are zero without these queues.
	NextS, NextDiscountedS Range
	// EpochAdvances counts how often R passed zero.
	EpochAdvances uint64
}

// Distribution says how long a value was in each range.
type Distribution = stats.Distribution

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
	l.merge(now)
	o, f := &l.occupied, &l.queue
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
