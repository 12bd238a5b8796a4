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
func (s *Series) Used() bool { return s.counts.Load() != nil }

// Busy reports whether requests of the Series wait, execute, or hold seats after their
// execution. A request that is dispatched meanwhile may be missed.
func (s *Series) Busy() bool {
	c := s.counts.Load()
	if c == nil {
		return false
	}
	finished := c.finished[0].count() + c.finished[1].count()
	return c.dispatched() != finished || c.inQueue.Load()+c.extraSeats.Load() != 0
}

// Snapshot returns the present state.
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
	if c := s.counts.Load(); c != nil {
		c.finished[0].addTo(&out.ExecutionRegular, &l.duration)
		c.finished[1].addTo(&out.ExecutionWatch, &l.duration)
		c.addTo(&out, l)
	}
	finished := out.ExecutionRegular.Count() + out.ExecutionWatch.Count()
	out.ExecutingRequests = int64(out.Dispatched - finished)
	out.InQueueRequests = max(out.InQueueRequests, 0)
	out.InQueueSeats = max(out.InQueueSeats, 0)
	out.ExecutingSeats = max(out.ExecutingSeats+out.ExecutingRequests, 0)
	return out
}

// dispatched returns the number of requests that have started.
func (c *counts) dispatched() uint64 {
	n := c.waited.count()
	for kind := range c.atOnce {
		n += c.atOnce[kind].Load()
	}
	return n
}

func (c *counts) addTo(out *Snapshot, l *Layout) {
	for width := range c.estimated {
		if n := c.estimated[width].Load(); n > 0 {
			out.EstimatedSeats.observe(float64(width), n)
		}
	}
	c.wider.addTo(&out.EstimatedSeats, &l.widths)

	unqueued, queued := c.atOnce[Unqueued].Load(), c.atOnce[Queued].Load()
	out.Dispatched += c.dispatched()
	out.WaitAdmitted.observe(0, unqueued+queued)
	displaced := c.displaced.Load() // before rejected, which is never less
	out.WaitRejected.observe(0, c.rejected[QueueFull].Load()-displaced+c.rejected[ConcurrencyLimit].Load())
	out.QueueLength.observe(1, queued)

	c.waited.addTo(&out.WaitAdmitted, &l.duration)
	c.left.addTo(&out.WaitAdmitted, &l.duration)
	c.queueLength.addTo(&out.QueueLength, &l.queueLength)
	c.watches.addTo(&out.WatchCount, &l.watches)
	for reason := range c.rejected {
		out.Rejected[reason] += c.rejected[reason].Load()
	}
	out.NoAccommodation += c.noAccommodation.Load()
	out.InQueueRequests += c.inQueue.Load()
	out.InQueueSeats += c.seatsQueue.Load()
	out.ExecutingSeats += c.extraSeats.Load()
}
