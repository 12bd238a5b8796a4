package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/heavyhitters"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// occupancy integrates over time how many requests wait and execute, and how many
// seats they want and use.
type occupancy struct {
	executing, waiting int
	seats, seatsWanted int

	waitingShare   *stats.TimeWeighted
	executingShare *stats.TimeWeighted
	seatShare      *stats.TimeWeighted
	demandShare    *stats.TimeWeighted
	demand         allocation.DemandTracker
}

// The bounds equal the bounds in k8s.io/apiserver, see package stats.
func requestBounds() []float64 {
	return []float64{0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1}
}

func seatBounds() []float64 {
	return []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1}
}

func demandBounds() []float64 {
	return []float64{0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6}
}

func newOccupancy(now time.Duration) occupancy {
	return occupancy{
		waitingShare:   stats.NewTimeWeighted(requestBounds(), now),
		executingShare: stats.NewTimeWeighted(requestBounds(), now),
		seatShare:      stats.NewTimeWeighted(seatBounds(), now),
		demandShare:    stats.NewTimeWeighted(demandBounds(), now),
		demand:         allocation.NewDemandTracker(now),
	}
}

func (o *occupancy) setDenominators(now time.Duration, waitingCapacity int, limits Limits) {
	o.waitingShare.SetDenominator(now, float64(waitingCapacity))
	o.executingShare.SetDenominator(now, float64(limits.Denominator))
	o.seatShare.SetDenominator(now, float64(limits.Denominator))
	o.demandShare.SetDenominator(now, float64(limits.Denominator))
}

// add adds so many requests that wait and execute, and seats that are wanted and used, from now on.
func (o *occupancy) add(now time.Duration, waiting, executing, seatsWanted, seats int) {
	o.waiting += waiting
	o.executing += executing
	o.seatsWanted += seatsWanted
	o.seats += seats
	o.waitingShare.Set(now, o.waiting)
	o.executingShare.Set(now, o.executing)
	o.seatShare.Set(now, o.seats)
	o.demandShare.Set(now, o.seats+o.seatsWanted)
	o.demand.Set(now, o.seats+o.seatsWanted)
}

// usage counts what flows used.
type usage struct {
	batch   heavyhitters.Batch
	windows *heavyhitters.Windows // nil until something is used, and when all is forgotten
}

// counted is how many uses are counted at once.
const counted = 128

// add adds what r used until it ended, and what it uses in its additional latency.
func (u *usage) add(r *Request, executed, ended time.Duration) {
	u.batch.Add(ended, r.Series.Schema, r.Flow, int64(seats.AreaOf(r.held, executed)+r.Work.FinalArea()))
	if u.batch.Len() >= counted {
		u.count()
	}
}

// count counts the batch.
func (u *usage) count() {
	if u.batch.Empty() {
		return
	}
	if u.windows == nil {
		u.windows = heavyhitters.NewWindows()
	}
	u.windows.Count(&u.batch)
}

// forgetUnused releases the memory of the batch, and of the counters if nothing was used for so long.
func (u *usage) forgetUnused(now time.Duration) {
	u.count()
	u.batch = heavyhitters.Batch{}
	if u.windows != nil && u.windows.Empty(now) {
		u.windows = nil
	}
}

// HeavyFlows returns what the heaviest flows used in the last minutes, see package
// heavyhitters. The use of a request counts when it ends.
func (s *Set) HeavyFlows() []heavyhitters.Use {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	l.usage.count()
	if l.usage.windows == nil {
		return nil
	}
	return l.usage.windows.Report(s.clock.Now())
}

// HeaviestFlow returns which part of the seat-seconds of the last minute the heaviest
// flow used, from 0 to 1; 0 if there are none.
func (s *Set) HeaviestFlow() float64 {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	l.usage.count()
	if l.usage.windows == nil {
		return 0
	}
	return l.usage.windows.Heaviest(s.clock.Now())
}

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
	// EpochAdvances counts how often the virtual clock was set back, as k8s.io/apiserver may do.
	// This one never is.
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
	now := l.advance(l.clock.Now())
	o, root := &l.occupied, &l.schedule.root
	out := Figures{
		Waiting: o.waiting, Executing: o.executing, SeatsInUse: o.seats, SeatsWaiting: o.seatsWanted,
		QueuesWaiting:  0,
		Totals:         l.totals,
		WaitingShare:   o.waitingShare.Snapshot(now),
		ExecutingShare: o.executingShare.Snapshot(now),
		SeatShare:      o.seatShare.Snapshot(now),
		DemandShare:    o.demandShare.Snapshot(now),
		CurrentR:       root.clock,
		DispatchR:      root.clock,
		LatestS:        root.dispatched,
	}
	for _, q := range l.schedule.flows.byHash {
		if q.waiting > 0 {
			start := q.startAt(now)
			out.NextS.include(out.QueuesWaiting, start)
			out.NextDiscountedS.include(out.QueuesWaiting, start-q.charged)
			out.QueuesWaiting++
		}
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
