package queueset

import (
	"errors"
	"fmt"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/heavyhitters"
)

// Inconsistency returns an error if the Set's invariants do not hold between
// two operations.
func (s *Set) Inconsistency() error {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	f := &l.schedule
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	waiting := 0
	free := f.free()
	starts := free > 0
	for _, q := range f.flows.byHash {
		waiting += q.waiting
		if q.waiting > 0 && !f.fits(f.clamp(q.head.Work).Width()) {
			starts = false
		}
		if q.executing < 0 || q.finishing < 0 || q.seats < 0 || q.using < 0 || q.waiting < 0 {
			wrong("a queue counts below zero: %+v", *q)
		}
		if q.executing == 0 && (q.using != 0 || q.usingSince != 0) {
			wrong("a queue executes nothing but uses %d seats since %d", q.using, q.usingSince)
		}
		if q.place.listed != (q.waiting > 0) || q.length.listed != (q.waiting > 0) {
			wrong("a queue with %d waiting has a place: %t, %t", q.waiting, q.place.listed, q.length.listed)
		}
		if q.resting == (q.active() || q.finishing > 0) {
			wrong("a queue rests and is in use, or neither: %+v", *q)
		}
	}
	if waiting > 0 && starts {
		wrong("%d seats are free, and all that are next in their queues fit but wait", free)
	}
	if waiting != f.waiting {
		wrong("counted %d waiting; it says %d", waiting, f.waiting)
	}
	return errors.Join(errs...)
}

// WhileLocked calls f while the lock of the Set is held.
func (s *Set) WhileLocked(f func()) {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	f()
}

// Ready receives one value when a request that waits has been dispatched or displaced, unless it has a
// function Decided.
func (r *Request) Ready() <-chan struct{} { return r.ready }

// DumpStep is how much a dump copies under the lock at a time.
const DumpStep = dumpStep

// DumpSlowly returns what Dump does. It calls between after each step.
func (s *Set) DumpSlowly(between func()) Dump {
	d := s.newDumper()
	defer d.close()
	for more := true; more; {
		before := len(d.requests)
		more = d.step()
		if copied := len(d.requests) - before; copied > dumpStep {
			panic(fmt.Sprintf("a step copied %d", copied))
		}
		between()
	}
	return d.dump()
}

// FlowsKept returns the number of flows that the Set knows.
func (s *Set) FlowsKept() int {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	return len(l.schedule.flows.byHash)
}

// FlowCountersKept returns the number of flows' counters with memory.
func (s *Set) FlowCountersKept() int {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	if l.usage.windows == nil {
		return 0
	}
	return heavyhitters.Counters
}

// MaxDebts and MaxIdle are how many inactive flows are known, while requests wait and while none does.
const (
	MaxDebts = maxDebts
	MaxIdle  = maxIdle
)
