package queueset

import (
	"math"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

// change is by how much the numbers of an occupancy change at one moment. Its time is read
// under the lock of the shard that notes it, see occupancy.
type change struct {
	at                 time.Duration
	executing, waiting int32 // requests
	seats, seatsWanted int32 // in use; of requests that wait
}

// changes are the changes that are noted under the lock of a Set, in order.
type changes struct {
	list []change
}

func (c *changes) add(one change) {
	if c.list == nil {
		c.list = make([]change, 0, mergeAt+mergeAt/4)
	}
	c.list = append(c.list, one)
}

// join adds one to the last change, if both are of the same moment, and to the
// list otherwise. BenchmarkSaturated measures what is saved by a shorter list.
func (c *changes) join(one change) {
	if len(c.list) == 0 || c.list[len(c.list)-1].at != one.at {
		c.add(one)
		return
	}
	last := &c.list[len(c.list)-1]
	last.executing += one.executing
	last.waiting += one.waiting
	last.seats += one.seats
	last.seatsWanted += one.seatsWanted
}

// forgetList releases the memory of the list if it is empty.
func (c *changes) forgetList() {
	if len(c.list) == 0 {
		c.list = nil
	}
}

// full reports whether the changes should be merged.
func (c *changes) full() bool { return len(c.list) >= mergeAt }

// occupancy integrates over time how many requests wait and execute, and how many
// seats they want and use. The changes come from several shards and are put in
// order when some have gathered.
//
// An open Set reads the time of a change while it holds the lock that guards the seats. Shards are
// taken one after the other, and the first ones may lack changes that others have. But a shard that
// is taken after a time T lacks no change of before T: who locks it afterwards reads a later time.
// So changes are integrated only up to a time that was read before the first shard was taken, and
// the others are kept for the next merge. Therefore the numbers are right for each moment, and the
// largest was in use at once. Only changes with the same time on the clock may be integrated in
// another order than they happened.
type occupancy struct {
	now                time.Duration
	executing, waiting int
	seats, seatsWanted int

	waitingShare   *stats.TimeWeighted
	executingShare *stats.TimeWeighted
	seatShare      *stats.TimeWeighted
	demandShare    *stats.TimeWeighted
	demand         allocation.DemandTracker

	runs   []seatChanges  // by shard: changes to integrate
	spares [][]seatChange // by shard: an empty list, which may share memory with the run
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

func newOccupancy(now time.Duration, shards int) occupancy {
	return occupancy{
		now:            now,
		waitingShare:   stats.NewTimeWeighted(requestBounds(), now),
		executingShare: stats.NewTimeWeighted(requestBounds(), now),
		seatShare:      stats.NewTimeWeighted(seatBounds(), now),
		demandShare:    stats.NewTimeWeighted(demandBounds(), now),
		demand:         allocation.NewDemandTracker(now),
		runs:           make([]seatChanges, shards),
		spares:         make([][]seatChange, shards),
	}
}

func (o *occupancy) setDenominators(now time.Duration, waitingCapacity int, limits Limits) {
	o.waitingShare.SetDenominator(now, float64(waitingCapacity))
	o.executingShare.SetDenominator(now, float64(limits.Denominator))
	o.seatShare.SetDenominator(now, float64(limits.Denominator))
	o.demandShare.SetDenominator(now, float64(limits.Denominator))
}

// collect collects the changes of shard i, to be integrated by mergeRuns, and leaves an empty
// list in their place.
func (o *occupancy) collect(i int, c *seatChanges) {
	run := &o.runs[i]
	if len(run.list) > 0 { // the spare list shares memory with it
		run.extend(c)
		c.list = c.list[:0]
		return
	}
	run.base, run.list, o.spares[i], c.list = c.base, c.list, c.list[:0], o.spares[i]
}

// forgetLists releases the memory of all lists that are empty.
func (o *occupancy) forgetLists() {
	for i := range o.runs {
		if len(o.runs[i].list) == 0 {
			o.runs[i].list, o.spares[i] = nil, nil
		}
	}
}

// forever is later than all changes.
const forever = time.Duration(math.MaxInt64)

// mergeRuns integrates the changes of the shards and the changes noted under the lock of the Set,
// up to a time, in the order of their times, and removes them.
func (o *occupancy) mergeRuns(own *changes, until time.Duration) {
	rest := own.list
	for {
		first, second := o.firstRuns()
		// A change under the lock of the Set comes first if it returns seats.
		if len(rest) > 0 && rest[0].at <= until && (first == nil || rest[0].at < first.at() || rest[0].at == first.at() && rest[0].seats < 0) {
			o.apply(&rest[0])
			rest = rest[1:]
			continue
		}
		last := until // of the changes of the first run that come before all others
		if len(rest) > 0 {
			last = min(last, rest[0].at)
		}
		if first == nil || first.at() > last {
			break
		}
		o.mergeRun(first, second, last)
	}
	own.list = own.list[:copy(own.list, rest)]
}

// mergeRun integrates the changes of the first run up to a time, or until one of the second
// is to be integrated.
func (o *occupancy) mergeRun(first, second *seatChanges, last time.Duration) {
	for {
		o.applySeats(first.pop())
		if len(first.list) == 0 || first.at() > last || second != nil && second.before(first) {
			return
		}
	}
}

// firstRuns returns the run with the change that is to be integrated first, and the run that
// follows it, nil without.
func (o *occupancy) firstRuns() (first, second *seatChanges) {
	for i := range o.runs {
		run := &o.runs[i]
		switch {
		case len(run.list) == 0:
		case first == nil || run.before(first):
			first, second = run, first
		case second == nil || run.before(second):
			second = run
		}
	}
	return first, second
}

func (o *occupancy) apply(c *change) {
	o.waiting += int(c.waiting)
	o.seatsWanted += int(c.seatsWanted)
	o.applySeats(c.at, int(c.executing), int(c.seats))
	o.waitingShare.Set(o.now, o.waiting)
}

// applySeats is apply for a change of requests that do not wait.
func (o *occupancy) applySeats(at time.Duration, executing, seats int) {
	// A change may be noted nanoseconds late. It counts from now on.
	o.now = max(o.now, at)
	o.executing += executing
	o.seats += seats
	o.executingShare.Set(o.now, o.executing)
	o.seatShare.Set(o.now, o.seats)
	o.demandShare.Set(o.now, o.seats+o.seatsWanted)
	o.demand.Set(o.now, o.seats+o.seatsWanted)
}
