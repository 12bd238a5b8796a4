package queueset

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/demand"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// exemptSeats is the limit of an exempt level: more than there can be requests.
const exemptSeats = 1 << 48

// Set seats the requests of one priority level. Create one with New.
type Set struct {
	// Not changed after New.
	clock     clock.Clock
	shards    []shard
	shardMask uint32

	// onIdle is called without a lock whenever the Set may have become idle;
	// nil unless somebody wants to know.
	onIdle atomic.Pointer[func()]

	_ [64]byte // what changes with every request lies beyond

	mu       sync.Mutex // guards what follows
	config   Config
	limits   Limits
	limit    int    // Limits.Seats, or exemptSeats
	open     bool   // the shards hold free seats
	era      uint64 // counts openings and closings
	free     int    // seats not in use and not lent to a shard; may be negative
	schedule scheduler
	linger   linger
	changes  changes
	occupied occupancy
	totals   Totals // requests dispatched while closed, and all others
}

// Totals count what became of requests since the Set was made.
type Totals struct {
	Dispatched uint64 // got their seats
	Rejected   uint64 // refused at arrival
	TimedOut   uint64 // left the queue at the end of their time
	Cancelled  uint64 // left the queue because the client went
}

// New returns a Set with the given configuration, which must be valid, and
// limits. Every Request that passes through it must have a Series of the given
// layout.
func New(c clock.Clock, layout *stats.Layout, config Config, limits Limits) (*Set, error) {
	now := c.Now()
	s := &Set{
		clock:     c,
		shards:    make([]shard, layout.Shards()),
		shardMask: uint32(layout.Shards() - 1),
		occupied:  newOccupancy(now, layout.Shards()),
	}
	s.schedule.last = now
	s.linger.set = s
	if err := s.Configure(config, limits); err != nil {
		return nil, err
	}
	return s, nil
}

// Configure replaces configuration and limits. Requests that wait go on to
// wait where they are, whatever becomes of the queues; those that execute are
// not touched. An invalid configuration changes nothing.
func (s *Set) Configure(config Config, limits Limits) error {
	dealer, err := config.dealer()
	if err != nil {
		return err
	}
	s.mu.Lock()
	now := s.sync()
	s.close(now)
	s.config, s.schedule.dealer = config, dealer
	s.schedule.trim()
	woken := s.setLimits(limits, now)
	s.mu.Unlock()
	wake(woken)
	return nil
}

// SetLimits replaces the limits.
func (s *Set) SetLimits(limits Limits) {
	s.mu.Lock()
	if limits == s.limits {
		s.mu.Unlock()
		return
	}
	now := s.sync()
	s.close(now)
	woken := s.setLimits(limits, now)
	s.mu.Unlock()
	wake(woken)
}

// setLimits expects the Set to be closed.
func (s *Set) setLimits(limits Limits, now time.Duration) *Request {
	limit := max(limits.Seats, 0)
	if s.config.Discipline == Exempt {
		limit = exemptSeats
	}
	s.free += limit - s.limit
	s.limits, s.limit, s.schedule.limit = limits, limit, limit
	s.merge()
	s.occupied.setDenominators(now, float64(s.config.WaitingCapacity()), limits)
	woken := s.dispatch(now, nil)
	s.reopen()
	return woken
}

// OnIdle makes f be called, without locks held, whenever a request ended and
// the Set may be idle now. Nil ends that.
func (s *Set) OnIdle(f func()) {
	if f == nil {
		s.onIdle.Store(nil)
		return
	}
	s.onIdle.Store(&f)
}

func (s *Set) noteEnd() {
	if f := s.onIdle.Load(); f != nil {
		(*f)()
	}
}

// Idle reports whether nobody waits and no seat is in use.
func (s *Set) Idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	free := s.free
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		free += sh.free
		sh.mu.Unlock()
	}
	return s.schedule.waiting == 0 && free == s.limit
}

// ResetDemand ends a period of the statistics of demand, in seats in use and
// waited for, and returns it. A Set at rest keeps no lists of changes after it.
func (s *Set) ResetDemand() demand.Period {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.occupied.forgetLists() // what shards get in place of theirs
	s.merge()
	s.occupied.forgetLists()
	return s.occupied.demand.Reset(s.clock.Now())
}

// sync moves the virtual clock to now, which it returns.
func (s *Set) sync() time.Duration { return s.syncTo(s.clock.Now()) }

// syncTo moves the virtual clock to the given time, which was now before the lock
// was taken, or leaves it where somebody else has moved it since. It returns where
// it is. That spares reading the clock once more while others wait for the lock.
func (s *Set) syncTo(now time.Duration) time.Duration {
	inUse := 0
	if !s.open {
		inUse = s.limit - s.free
	}
	s.schedule.sync(now, inUse)
	return s.schedule.last
}

// merge integrates the changes noted so far.
func (s *Set) merge() {
	o := &s.occupied
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		o.take(i, &sh.changes)
		sh.mu.Unlock()
	}
	o.take(len(s.shards), &s.changes)
	o.mergeRuns()
}

// noteDispatch notes that a request that waited executes, which often happens at
// the moment of the change before.
func (s *Set) noteDispatch(c change) {
	if !s.changes.join(c) {
		s.note(c)
	}
}

func (s *Set) note(c change) {
	s.changes.add(c)
	if s.changes.full() {
		s.merge()
	}
}
