package queueset

import (
	"errors"
	"fmt"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/heavyhitters"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Inconsistency returns an error if the Set's invariants do not hold between
// two operations.
func (s *Set) Inconsistency() error {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	f := &l.queue
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if f.waiting > 0 && l.open {
		wrong("a request waits in an open Set")
	}
	fits := func(r *Request) bool { return l.queue.fits(l.queue.clamp(r.Work).Width()) }
	if f.waiting > 0 && l.queue.free() > 0 && !slices.ContainsFunc(f.ordered.nodes, func(n node[seats.Progress, *queue]) bool { return !fits(n.item.head) }) {
		wrong("%d seats are free, and all that are next in their queues fit but wait", l.queue.free())
	}
	waiting, active := 0, 0
	for number, q := range f.queues {
		waiting += q.length
		if q.active() {
			active++
		}
		if q.number != number {
			wrong("queue %d is at %d", q.number, number)
		}
		known := f.flows[q.hash] == q
		if known == slices.Contains(f.spares, q) || !known && !f.unused(q) {
			wrong("queue %d is of a flow and a spare, or neither, or a spare that is in use: %+v", number, *q)
		}
		if crowded := len(f.crowd.last.nodes) > 0 && f.crowd.last.find(number) < 0; q.length > 0 && crowded || (q.length > 0) != (f.ordered.find(number) >= 0) {
			wrong("queue %d with %d waiting is at %d in the heap, at %d in the crowd", number, q.length, f.ordered.find(number), f.crowd.last.find(number))
		}
		if ahead := !q.active() && f.clock.Before(q.countsUntil()); ahead != (f.ahead.find(number) >= 0) {
			wrong("queue %d, active %t, at %d where R is %d, is at %d among those ahead", number, q.active(), q.start, f.clock, f.ahead.find(number))
		}
		if q.executing < 0 || q.finishing < 0 || q.seats < 0 || q.using < 0 || q.length < 0 {
			wrong("queue %d counts below zero: %+v", number, *q)
		}
		if q.executing == 0 && (q.using != 0 || q.usingSince != 0) {
			wrong("queue %d executes nothing but uses %d seats since %d", number, q.using, q.usingSince)
		}
	}
	if len(f.flows)+len(f.spares) != len(f.queues) {
		wrong("%d queues of flows and %d spares are not %d", len(f.flows), len(f.spares), len(f.queues))
	}
	if waiting != f.waiting || active != f.active {
		wrong("counted %d waiting, %d active queues; it says %d, %d", waiting, active, f.waiting, f.active)
	}
	for _, h := range []queueHeap{f.ordered, f.ahead, f.crowd.last} {
		for i, n := range h.nodes {
			if parent := h.nodes[(i-1)/2]; h.find(n.item.number) != i || i > 0 && n.before(parent.rank) {
				wrong("the heap is out of order at %d", i)
			}
		}
	}
	return errors.Join(errs...)
}

// StartVirtualClockAt sets R of an idle Set.
func (s *Set) StartVirtualClockAt(r seats.Progress) {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	l.queue.clock = r
}

// WhileLocked calls f while the lock of the Set is held.
func (s *Set) WhileLocked(f func()) {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	f()
}

// BeginFinish does what Finish does before it needs the lock of a closed Set.
func (s *Set) BeginFinish(r *Request) { s.pool.end(r) }

// Operations returns how many arrivals and ends took the lock of the Set.
func (s *Set) Operations() uint64 {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	return l.lockedSteps
}

// MergeSlowly merges the changes noted so far. It calls between after each shard is taken,
// with its index.
func (s *Set) MergeSlowly(between func(shard int)) {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	until := s.clock.Now()
	for i := range l.pool.shards {
		l.collect(i)
		between(i)
	}
	l.integrate(until)
}

// IsOpen reports whether the Set is open.
func (s *Set) IsOpen() bool {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	return l.open
}

// DumpStep is how much a dump copies under the lock at a time.
const DumpStep = dumpStep

// DumpSlowly returns what Dump does. It calls between after each step.
func (s *Set) DumpSlowly(between func()) Dump {
	d := s.newDumper()
	defer d.close()
	for more := true; more; {
		before := len(d.requests) + len(d.queues)
		more = d.step()
		if copied := len(d.requests) + len(d.queues) - before; copied > dumpStep {
			panic(fmt.Sprintf("a step copied %d", copied))
		}
		between()
	}
	return d.dump()
}

// ChangesKept returns the number of changes and uses that memory is allocated for.
func (s *Set) ChangesKept() int {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	kept := cap(l.changes.list) + l.used.Capacity()
	for i := range l.pool.shards {
		sh := l.pool.shards[i].Lock()
		kept += cap(sh.changes.list) + sh.used.Capacity()
		l.pool.shards[i].Unlock(&sh)
	}
	for i := range l.occupied.runs {
		kept += cap(l.occupied.runs[i].list) + cap(l.occupied.spares[i])
	}
	for i := range l.flows.runs {
		kept += l.flows.runs[i].Capacity() + l.flows.spares[i].Capacity()
	}
	return kept
}

// FlowsKept returns the number of flows that the Set knows.
func (s *Set) FlowsKept() int {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	return len(l.queue.flows)
}

// FlowCountersKept returns the number of flows' counters with memory.
func (s *Set) FlowCountersKept() int {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	if l.flows.windows == nil {
		return 0
	}
	return heavyhitters.Counters
}

// MaxDebts is the number of debts that are remembered.
const MaxDebts = maxDebts
