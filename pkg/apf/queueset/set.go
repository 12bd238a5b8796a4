package queueset

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/guarded"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

// Discipline says what happens to a request that finds no free seat.
type Discipline uint8

const (
	// Unset is the zero value. It is invalid, so that no Set is created by
	// omission.
	Unset Discipline = iota
	// Exempt means that seats are unlimited.
	Exempt
	// Reject means that the request is rejected.
	Reject
	// Queue means that the request waits in a queue.
	Queue
)

// String returns the name of the discipline.
func (d Discipline) String() string {
	switch d {
	case Unset:
		return "Unset"
	case Exempt:
		return "Exempt"
	case Reject:
		return "Reject"
	case Queue:
		return "Queue"
	default:
		return fmt.Sprintf("Discipline(%d)", uint8(d))
	}
}

// startKind returns the kind of a request that starts at once.
func (d Discipline) startKind() stats.StartKind {
	switch d {
	case Exempt:
		return stats.Ungoverned
	case Reject:
		return stats.Unqueued
	default:
		return stats.Queued
	}
}

// Config is the configuration of a Set. The fields after Discipline count only for the
// discipline Queue.
type Config struct {
	Discipline Discipline
	// Queues times QueueLengthLimit is the number of requests that may wait.
	Queues int
	// HandSize times QueueLengthLimit is the number of requests of one flow that may wait.
	HandSize         int
	QueueLengthLimit int
}

// Validate returns an error that says what is wrong with c, or nil.
func (c Config) Validate() error {
	switch {
	case c.Discipline == Unset || c.Discipline > Queue:
		return fmt.Errorf("discipline must be Exempt, Reject or Queue, not %v", c.Discipline)
	case c.Discipline != Queue:
		return nil
	case c.QueueLengthLimit < 1:
		return fmt.Errorf("queue length limit %d must be positive", c.QueueLengthLimit)
	}
	if _, err := flow.NewDealer(c.Queues, c.HandSize); err != nil {
		return fmt.Errorf("%d queues with hands of %d: %w", c.Queues, c.HandSize, err)
	}
	return nil
}

// queueOf returns the index of the queue that a flow is shown in: the first one of its hand.
func (c Config) queueOf(hash flow.Hash) int {
	if c.Discipline != Queue {
		return noQueue
	}
	return int(uint64(hash) % uint64(c.Queues))
}

// WaitingCapacity returns how many requests may wait.
func (c Config) WaitingCapacity() int {
	if c.Discipline != Queue {
		return 0
	}
	return c.Queues * c.QueueLengthLimit
}

// seats returns the number of seats under the limits.
func (c Config) seats(limits Limits) int {
	if c.Discipline == Exempt {
		return exemptSeats
	}
	return max(limits.Seats, 0)
}

// exemptSeats is the limit of an exempt level: more than requests can hold.
const exemptSeats = 1 << 48

// Limits are the numbers of seats that change while a Set is in use.
type Limits struct {
	// Seats is the current limit: how many seats may be in use.
	Seats int
	// Denominator is what requests, seats and demand are shown as a share of: Seats,
	// or a positive substitute if that is zero.
	Denominator int
}

// Set seats the requests of one priority level. Create one with New.
type Set struct {
	clock clock.Clock // not changed after New

	// dumping is locked while a dumper is in use. It is taken before any other lock.
	dumping sync.Mutex

	// onIdle is called without a lock when the Set may have become idle; it may
	// be nil.
	onIdle atomic.Pointer[func()]

	locked guarded.Value[lockedSet]
}

// Totals count what became of requests since the Set was created.
type Totals struct {
	Dispatched uint64 // were seated
	Rejected   uint64 // were rejected at arrival, or displaced while they waited
	TimedOut   uint64 // left the queue when their time was over
	Cancelled  uint64 // left the queue because the client had gone
}

// Series are the counters of a flow schema on a level.
type Series = stats.Series

// StartKind says why a request could start when it arrived.
type StartKind = stats.StartKind

// New returns a Set with the given configuration, which must be valid, and limits.
func New(c clock.Clock, config Config, limits Limits) (*Set, error) {
	now := c.Now()
	s := &Set{clock: c}
	l := s.locked.Lock()
	l.clock = c
	l.occupied = newOccupancy(now)
	l.schedule.root.last, l.schedule.root.firsts = now, &l.schedule.firsts
	l.final.clock, l.final.end = c, s.endFinalPhases
	s.locked.Unlock(&l)
	if _, err := s.Configure(config, limits); err != nil {
		return nil, err
	}
	return s, nil
}

// Configure replaces configuration and limits. Waiting requests continue to wait, even
// if fewer may from now on, and executing requests continue. An invalid configuration changes
// nothing. The caller tells the requests that start.
func (s *Set) Configure(config Config, limits Limits) (Decisions, error) {
	if err := config.Validate(); err != nil {
		return Decisions{}, err
	}
	l := s.locked.Lock()
	l.config = config
	woken := l.setLimits(limits, l.advance(s.clock.Now()))
	s.locked.Unlock(&l)
	return Decisions{woken}, nil
}

// SetLimits replaces the limits. The caller tells the requests that start.
func (s *Set) SetLimits(limits Limits) Decisions {
	l := s.locked.Lock()
	var woken *Request
	if limits != l.limits {
		woken = l.setLimits(limits, l.advance(s.clock.Now()))
	}
	s.locked.Unlock(&l)
	return Decisions{woken}
}

// OnIdle registers f, called without locks whenever a request has ended and the
// Set may be idle. A nil f ends that.
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

// Idle reports whether no request waits and no seat is in use.
func (s *Set) Idle() bool {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	return l.schedule.idle()
}

// ResetDemand ends a period of the statistics of demand, in seats in use and
// waited for, and returns it. An idle Set keeps no batches of use after it, see
// BenchmarkIdleLevel.
func (s *Set) ResetDemand() allocation.DemandPeriod {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	now := s.clock.Now()
	l.usage.forgetUnused(now)
	return l.occupied.demand.Reset(now)
}
