package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// close takes the free seats back from the shards. From then on the fair
// schedule rules, beginning with the requests that execute.
func (s *Set) close(now time.Duration) {
	if !s.open {
		return
	}
	s.open = false
	s.era++
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		sh.open = false
		s.free += sh.free
		sh.free = 0
		if s.config.Discipline == Queue {
			s.adopt(sh, now)
		}
		sh.mu.Unlock()
	}
}

func (s *Set) adopt(sh *shard, now time.Duration) {
	for r := sh.oldest; r != nil; r = r.younger {
		if r.phase == executing {
			s.schedule.adopt(r, now)
			r.era = s.era
		}
	}
}

// reopen lends the free seats to the shards, if there are enough of them and
// nobody waits.
func (s *Set) reopen() {
	n := len(s.shards)
	if s.open || s.schedule.waiting > 0 || s.free < max(s.limit/4, 2*n) {
		return
	}
	s.open = true
	s.era++
	s.schedule.dissolve()
	lot := s.lot()
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		sh.open, sh.passage = true, s.config.Discipline.passage()
		sh.free = lot
		sh.mu.Unlock()
		s.free -= lot
	}
}

// lot is how many seats a shard gets at once: it leaves half of the free ones
// in reserve if every shard takes one lot.
func (s *Set) lot() int { return s.free / (2 * len(s.shards)) }

// borrow seats r from the reserve of an open Set, if that has enough, and
// lends the shard of r a lot besides.
func (s *Set) borrow(r *Request, width int, now time.Duration) bool {
	if s.free < width {
		return false
	}
	grant := max(width, s.lot())
	s.free -= grant
	sh := s.shardOf(r)
	sh.mu.Lock()
	sh.free += grant
	sh.take(r, width, now)
	sh.mu.Unlock()
	return true
}

func (d Discipline) passage() stats.Passage {
	switch d {
	case Exempt:
		return stats.Ungoverned
	case Reject:
		return stats.Unqueued
	default:
		return stats.Queued
	}
}
