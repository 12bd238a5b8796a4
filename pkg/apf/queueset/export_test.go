package queueset

import (
	"errors"
	"fmt"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Inconsistency says what is wrong with the Set between two operations.
func (s *Set) Inconsistency() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &s.schedule
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if f.waiting > 0 && s.open {
		wrong("a request waits in an open Set")
	}
	if f.waiting > 0 && s.free > 0 && !slices.ContainsFunc(f.ordered.nodes, func(n node[*queue]) bool { return !s.fits(n.item.head) }) {
		wrong("%d seats are free, and all that are next in their queues fit but wait", s.free)
	}
	waiting, busy := 0, 0
	for _, q := range f.used {
		waiting += q.length
		if q.active() {
			busy++
		}
		if f.queues[q.index] != q {
			wrong("queue %d is not where it says", q.index)
		}
		if (q.length > 0) != (f.ordered.find(q.index) >= 0) {
			wrong("queue %d with %d waiting is at %d in the heap", q.index, q.length, f.ordered.find(q.index))
		}
		if q.executing < 0 || q.lingering < 0 || q.seats < 0 || q.using < 0 || q.length < 0 {
			wrong("queue %d counts below zero: %+v", q.index, *q)
		}
		if q.executing == 0 && (q.using != 0 || q.usingSince != 0) {
			wrong("queue %d executes nothing but uses %d seats since %d", q.index, q.using, q.usingSince)
		}
	}
	if waiting != f.waiting || busy != f.busy {
		wrong("counted %d waiting, %d busy queues; it says %d, %d", waiting, busy, f.waiting, f.busy)
	}
	for i, n := range f.ordered.nodes {
		if parent := f.ordered.nodes[(i-1)/2]; f.ordered.find(n.item.index) != i || i > 0 && n.before(parent.rank) {
			wrong("the heap is out of order at %d", i)
		}
	}
	return errors.Join(errs...)
}

// StartVirtualClockAt sets R of an idle Set.
func (s *Set) StartVirtualClockAt(r seats.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.schedule.clock = r
}

// WhileLocked calls f while the lock of the Set is held.
func (s *Set) WhileLocked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// ChangesKept is how many changes there is memory for.
func (s *Set) ChangesKept() int {
	kept := cap(s.changes.list)
	for i := range s.shards {
		kept += cap(s.shards[i].changes.list)
	}
	for i := range s.occupied.runs {
		kept += cap(s.occupied.runs[i]) + cap(s.occupied.spares[i])
	}
	return kept
}
