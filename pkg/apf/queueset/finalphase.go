package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// linger holds the final seats of finished requests until their additional
// latency is over, with one timer for all of them. It is guarded by Set.mu.
type linger struct {
	set   *Set
	heap  heap[lingerer]
	timer clock.Timer
	next  time.Duration // when the timer will call; meaningless while the heap is empty
}

// lingerer is a finished request that still holds seats.
type lingerer struct {
	seats  int
	queue  *queue // nil if it was not in one
	era    uint64 // in which queue is meant
	series *stats.Series
	shard  int
}

func (l *linger) add(one lingerer, due, now time.Duration) {
	l.heap.push(node[lingerer]{rank: rank{finish: seats.Progress(due)}, number: unnumbered, item: one})
	if len(l.heap.nodes) == 1 || due < l.next {
		l.arm(now)
	}
}

// due is when the additional latency of the first is over.
func (l *linger) due() time.Duration { return time.Duration(l.heap.nodes[0].finish) }

// arm makes the timer call when the first of the lingerers is due.
func (l *linger) arm(now time.Duration) {
	l.next = l.due()
	if l.timer == nil {
		l.timer = l.set.clock.AfterFunc(l.next-now, l.set.endLingering)
		return
	}
	l.timer.Reset(l.next - now)
}

// endLingering frees the seats whose time is over.
func (s *Set) endLingering() {
	s.mu.Lock()
	now := s.sync()
	l := &s.linger
	for len(l.heap.nodes) > 0 && l.due() <= now {
		one := l.heap.nodes[0].item
		l.heap.remove(0)
		s.free += one.seats
		if one.queue != nil && !s.open && one.era == s.era {
			s.schedule.release(one.queue, one.seats)
		}
		one.series.Released(one.shard, one.seats)
		s.note(change{at: now, seats: -int32(one.seats)})
	}
	if len(l.heap.nodes) > 0 {
		l.arm(now)
	}
	s.resume(now)
	s.noteEnd()
}
