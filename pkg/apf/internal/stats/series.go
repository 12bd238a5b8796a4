package stats

import (
	"sync/atomic"
	"time"
)

// MaxShards is the largest number of shards of a Series.
const MaxShards = 16

// MaxSeriesBytes is the largest size of a Series that has used all its shards.
const MaxSeriesBytes = 20 << 10

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

// Layout holds what all Series of an engine share: the number of shards and the
// bounds of the histograms. Create one with NewLayout.
type Layout struct {
	shards                                 int
	duration, queueLength, watches, widths Bounds
}

// NewLayout returns a Layout with the given number of shards, a power of two of at
// most MaxShards.
func NewLayout(shards int) *Layout {
	return &Layout{
		shards:      shards,
		duration:    durationBounds(),
		queueLength: queueLengthBounds(),
		watches:     watchCountBounds(),
		widths:      seatBounds(),
	}
}

// Shards returns the number of shards, a power of two.
func (l *Layout) Shards() int { return l.shards }

// ShardOf returns n modulo the number of shards.
func (l *Layout) ShardOf(n uint32) int { return int(n) & (l.shards - 1) }

// NewSeries returns an empty Series of a flow schema on a priority level.
func (l *Layout) NewSeries(level, schema string) *Series {
	return &Series{Level: level, Schema: schema, layout: l}
}

// Series holds the counts of one flow schema on one priority level. Its methods are
// safe for concurrent use. They take the number of the shard to count in, below the
// number of shards of the Layout.
type Series struct {
	Level, Schema string

	layout *Layout
	shards [MaxShards]atomic.Pointer[shard]
}

// knownWidths is the number of widths with a counter of their own. The largest work
// estimate is 10 seats.
const knownWidths = 11

type shard struct {
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

	_ [64]byte // no other object shares the last cache line (BenchmarkUncontendedParallel)
}

func (s *Series) shard(i int) *shard {
	p := &s.shards[i]
	if sh := p.Load(); sh != nil {
		return sh
	}
	p.CompareAndSwap(nil, new(shard))
	return p.Load()
}

// Estimated counts a request by its work estimate.
func (s *Series) Estimated(shard, width int) {
	sh := s.shard(shard)
	if width < knownWidths {
		sh.estimated[max(width, 0)].Add(1)
		return
	}
	sh.wider.Observe(&s.layout.widths, int64(width))
}

// Started counts a request that was dispatched on arrival.
func (s *Series) Started(shard, width int, startKind StartKind) {
	sh := s.shard(shard)
	sh.addExtraSeats(width - 1)
	sh.atOnce[startKind].Add(1)
}

// Enqueued counts a request that was added to a queue. length is the length of the
// queue afterwards.
func (s *Series) Enqueued(shard, width, length int) {
	sh := s.shard(shard)
	sh.inQueue.Add(1)
	sh.seatsQueue.Add(int64(width))
	sh.queueLength.Observe(&s.layout.queueLength, int64(length))
}

// Dispatched counts a request that left its queue. It waited for width seats and
// holds seats now.
func (s *Series) Dispatched(shard, width, seats int, waited time.Duration) {
	sh := s.shard(shard)
	sh.inQueue.Add(-1)
	sh.seatsQueue.Add(-int64(width))
	sh.addExtraSeats(seats - 1)
	sh.waited.Observe(&s.layout.duration, int64(waited))
}

// Rejected counts a request that was rejected on arrival, as QueueFull or
// ConcurrencyLimit.
func (s *Series) Rejected(shard int, reason Reason) {
	s.shard(shard).rejected[reason].Add(1)
}

// Left counts a request that left its queue without being dispatched.
func (s *Series) Left(shard, width int, waited time.Duration, reason Reason) {
	sh := s.shard(shard)
	sh.inQueue.Add(-1)
	sh.seatsQueue.Add(-int64(width))
	if reason == Withdrawn {
		return
	}
	sh.rejected[reason].Add(1)
	if reason == QueueFull {
		sh.displaced.Add(1)
	}
	sh.left.Observe(&s.layout.duration, int64(waited))
}

// Finished counts the end of an execution. freed is the number of seats that it
// releases.
func (s *Series) Finished(shard int, executed time.Duration, watch bool, freed int) {
	kind := 0
	if watch {
		kind = 1
	}
	sh := s.shard(shard)
	sh.addExtraSeats(1 - freed)
	sh.finished[kind].Observe(&s.layout.duration, int64(executed))
}

// Released counts seats that are released after the end of an execution.
func (s *Series) Released(shard, seats int) { s.shard(shard).addExtraSeats(-seats) }

// addExtraSeats writes nothing for a request of one seat, the most frequent one
// (BenchmarkUncontendedParallel).
func (sh *shard) addExtraSeats(seats int) {
	if seats != 0 {
		sh.extraSeats.Add(int64(seats))
	}
}

// NotAccommodated counts a dispatch attempt that found too few free seats.
func (s *Series) NotAccommodated(shard int) {
	s.shard(shard).noAccommodation.Add(1)
}

// WatchCount counts a mutating request by the number of watchers that it notifies.
func (s *Series) WatchCount(shard, watchers int) {
	s.shard(shard).watches.Observe(&s.layout.watches, int64(watchers))
}
