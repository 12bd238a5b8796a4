package stats

// Snapshot is the state of a Series. Everything but the gauges is cumulative.
type Snapshot struct {
	Level, Schema string

	Rejected        [Reasons]uint64
	Dispatched      uint64
	NoAccommodation uint64

	// Gauges.
	InQueueRequests, InQueueSeats     int64
	ExecutingRequests, ExecutingSeats int64

	// Wait in seconds of the requests that started or left their queue, and of those
	// rejected on arrival, which is 0.
	WaitAdmitted, WaitRejected Distribution
	// Duration of execution in seconds.
	ExecutionRegular, ExecutionWatch Distribution
	// Requests in a queue after one was added.
	QueueLength Distribution
	// Watchers per mutating request.
	WatchCount Distribution
	// Seats per request.
	EstimatedSeats Distribution
}

// Used reports whether the Series has counted anything.
func (s *Series) Used() bool {
	for i := range s.shards {
		if s.shards[i].Load() != nil {
			return true
		}
	}
	return false
}

// Busy reports whether requests of the Series wait, execute, or hold seats after their
// execution. A request that is dispatched meanwhile may be missed.
func (s *Series) Busy() bool {
	executing, others := int64(0), int64(0)
	for i := range s.shards {
		if sh := s.shards[i].Load(); sh != nil {
			executing -= int64(sh.finished[0].count() + sh.finished[1].count())
		}
	}
	for i := range s.shards {
		if sh := s.shards[i].Load(); sh != nil {
			executing += int64(sh.dispatched())
			others += sh.inQueue.Load() + sh.extraSeats.Load()
		}
	}
	return executing != 0 || others != 0
}

// Snapshot returns the sum of the shards.
func (s *Series) Snapshot() Snapshot {
	l := s.layout
	out := Snapshot{
		Level: s.Level, Schema: s.Schema,
		WaitAdmitted:     newDistribution(&l.duration),
		WaitRejected:     newDistribution(&l.duration),
		ExecutionRegular: newDistribution(&l.duration),
		ExecutionWatch:   newDistribution(&l.duration),
		QueueLength:      newDistribution(&l.queueLength),
		WatchCount:       newDistribution(&l.watches),
		EstimatedSeats:   newDistribution(&l.widths),
	}
	// Read the finished requests before the dispatched ones, so that the difference
	// is not negative.
	for i := range s.shards {
		if sh := s.shards[i].Load(); sh != nil {
			sh.finished[0].addTo(&out.ExecutionRegular, &l.duration)
			sh.finished[1].addTo(&out.ExecutionWatch, &l.duration)
		}
	}
	for i := range s.shards {
		if sh := s.shards[i].Load(); sh != nil {
			sh.addTo(&out, l)
		}
	}
	finished := out.ExecutionRegular.Count() + out.ExecutionWatch.Count()
	out.ExecutingRequests = int64(out.Dispatched - finished)
	out.InQueueRequests = max(out.InQueueRequests, 0)
	out.InQueueSeats = max(out.InQueueSeats, 0)
	out.ExecutingSeats = max(out.ExecutingSeats+out.ExecutingRequests, 0)
	return out
}

// dispatched returns the number of requests that have started.
func (sh *shard) dispatched() uint64 {
	n := sh.waited.count()
	for kind := range sh.atOnce {
		n += sh.atOnce[kind].Load()
	}
	return n
}

func (sh *shard) addTo(out *Snapshot, l *Layout) {
	for width := range sh.estimated {
		if n := sh.estimated[width].Load(); n > 0 {
			out.EstimatedSeats.observe(float64(width), n)
		}
	}
	sh.wider.addTo(&out.EstimatedSeats, &l.widths)

	unqueued, queued := sh.atOnce[Unqueued].Load(), sh.atOnce[Queued].Load()
	out.Dispatched += sh.dispatched()
	out.WaitAdmitted.observe(0, unqueued+queued)
	displaced := sh.displaced.Load() // before rejected, which is never less
	out.WaitRejected.observe(0, sh.rejected[QueueFull].Load()-displaced+sh.rejected[ConcurrencyLimit].Load())
	out.QueueLength.observe(1, queued)

	sh.waited.addTo(&out.WaitAdmitted, &l.duration)
	sh.left.addTo(&out.WaitAdmitted, &l.duration)
	sh.queueLength.addTo(&out.QueueLength, &l.queueLength)
	sh.watches.addTo(&out.WatchCount, &l.watches)
	for reason := range sh.rejected {
		out.Rejected[reason] += sh.rejected[reason].Load()
	}
	out.NoAccommodation += sh.noAccommodation.Load()
	out.InQueueRequests += sh.inQueue.Load()
	out.InQueueSeats += sh.seatsQueue.Load()
	out.ExecutingSeats += sh.extraSeats.Load()
}
