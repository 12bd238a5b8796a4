package stats

import (
	"sync/atomic"
	"time"
)

// MaxSeriesBytes is the largest size of a Series that has counted something.
const MaxSeriesBytes = 2 << 10

// Reason is why a request was rejected.
type Reason uint8

// The reasons, in the order of Snapshot.Rejected.
const (
	QueueFull Reason = iota
	ConcurrencyLimit
	TimeOut
	Cancelled
	Reasons // the number of reasons
	// Withdrawn is no rejection: the request no longer needs its seats. It is not counted.
	Withdrawn
)

// String returns the value of the metric label "reason".
func (r Reason) String() string {
	switch r {
	case QueueFull:
		return "queue-full"
	case ConcurrencyLimit:
		return "concurrency-limit"
	case TimeOut:
		return "time-out"
	case Cancelled:
		return "cancelled"
	default:
		return "none"
	}
}

// StartKind is the type of the priority level of a request that starts on arrival. The
// metrics of waiting depend on it.
type StartKind uint8

const (
	// Ungoverned is an exempt level: no wait is observed.
	Ungoverned StartKind = iota
	// Unqueued is a level without queues: a wait of 0 is observed.
	Unqueued
	// Queued is a level with queues: a wait of 0 and a queue length of 1 are observed.
	Queued
	startKinds
)

// Layout holds what all Series of an engine share: the bounds of the histograms. Create one with
// NewLayout.
type Layout struct {
	duration, queueLength, watches, widths Bounds
}

// NewLayout returns a Layout.
func NewLayout() *Layout {
	return &Layout{
		duration:    durationBounds(),
		queueLength: queueLengthBounds(),
		watches:     watchCountBounds(),
		widths:      seatBounds(),
	}
}

// NewSeries returns an empty Series of a flow schema on a priority level.
func (l *Layout) NewSeries(level, schema string) *Series {
	return &Series{Level: level, Schema: schema, layout: l}
}

// Series holds the counts of one flow schema on one priority level. Its methods are
// safe for concurrent use.
type Series struct {
	Level, Schema string

	layout *Layout
	counts atomic.Pointer[counts] // nil until something is counted
}

// knownWidths is the number of widths with a counter of their own. The largest work
// estimate is 10 seats.
const knownWidths = 11

type counts struct {
	estimated  [knownWidths]atomic.Uint64 // requests by width; 0 is unused
	wider      Histogram                  // requests of at least knownWidths seats
	atOnce     [startKinds]atomic.Uint64
	extraSeats atomic.Int64 // seats held beyond one for each executing request
	inQueue    atomic.Int64 // requests waiting
	seatsQueue atomic.Int64 // seats waited for

	finished [2]Histogram // by watch

	waited, left    Histogram // wait of requests that were dispatched and that left their queue
	queueLength     Histogram
	watches         Histogram
	rejected        [Reasons]atomic.Uint64
	displaced       atomic.Uint64 // requests that left their queue as QueueFull
	noAccommodation atomic.Uint64
}

func (s *Series) count() *counts {
	if c := s.counts.Load(); c != nil {
		return c
	}
	s.counts.CompareAndSwap(nil, new(counts))
	return s.counts.Load()
}

// Estimated counts a request by its work estimate.
func (s *Series) Estimated(width int) {
	c := s.count()
	if width < knownWidths {
		c.estimated[max(width, 0)].Add(1)
		return
	}
	c.wider.Observe(&s.layout.widths, int64(width))
}

// Started counts a request that was dispatched on arrival.
func (s *Series) Started(width int, startKind StartKind) {
	c := s.count()
	c.addExtraSeats(width - 1)
	c.atOnce[startKind].Add(1)
}

// Enqueued counts a request that was added to a queue. length is the length of the
// queue afterwards.
func (s *Series) Enqueued(width, length int) {
	c := s.count()
	c.inQueue.Add(1)
	c.seatsQueue.Add(int64(width))
	c.queueLength.Observe(&s.layout.queueLength, int64(length))
}

// Dispatched counts a request that left its queue. It waited for width seats and
// holds seats now.
func (s *Series) Dispatched(width, seats int, waited time.Duration) {
	c := s.count()
	c.inQueue.Add(-1)
	c.seatsQueue.Add(-int64(width))
	c.addExtraSeats(seats - 1)
	c.waited.Observe(&s.layout.duration, int64(waited))
}

// Rejected counts a request that was rejected on arrival, as QueueFull or
// ConcurrencyLimit.
func (s *Series) Rejected(reason Reason) {
	s.count().rejected[reason].Add(1)
}

// Left counts a request that left its queue without being dispatched.
func (s *Series) Left(width int, waited time.Duration, reason Reason) {
	c := s.count()
	c.inQueue.Add(-1)
	c.seatsQueue.Add(-int64(width))
	if reason == Withdrawn {
		return
	}
	c.rejected[reason].Add(1)
	if reason == QueueFull {
		c.displaced.Add(1)
	}
	c.left.Observe(&s.layout.duration, int64(waited))
}

// Finished counts the end of an execution. freed is the number of seats that it
// releases.
func (s *Series) Finished(executed time.Duration, watch bool, freed int) {
	kind := 0
	if watch {
		kind = 1
	}
	c := s.count()
	c.addExtraSeats(1 - freed)
	c.finished[kind].Observe(&s.layout.duration, int64(executed))
}

// Released counts seats that are released after the end of an execution.
func (s *Series) Released(seats int) { s.count().addExtraSeats(-seats) }

// addExtraSeats writes nothing for a request of one seat, the most frequent one
// (BenchmarkUncontendedParallel).
func (c *counts) addExtraSeats(seats int) {
	if seats != 0 {
		c.extraSeats.Add(int64(seats))
	}
}

// NotAccommodated counts a dispatch attempt that found too few free seats.
func (s *Series) NotAccommodated() {
	s.count().noAccommodation.Add(1)
}

// WatchCount counts a mutating request by the number of watchers that it notifies.
func (s *Series) WatchCount(watchers int) {
	s.count().watches.Observe(&s.layout.watches, int64(watchers))
}
