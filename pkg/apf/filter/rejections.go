package filter

import (
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// maxBase bounds the base of Retry-After, in seconds; a client is told to
	// wait for at most twice as long.
	maxBase = 16
	// memory is after how long a level without refusals is forgotten.
	memory = 10 * time.Minute
	// forgetful is how many levels are remembered before any is forgotten.
	forgetful = 64
)

// refusals remember, per priority level, how often requests were refused, and
// say when to come back.
type refusals struct {
	draw func(n int) int // a random number below n

	mu     sync.Mutex // guards what follows
	levels map[string]*pressure
}

func newRefusals() *refusals {
	return &refusals{draw: rand.IntN, levels: map[string]*pressure{}}
}

// add counts a refusal at the given time and returns after how many seconds
// the client should try again.
func (s *refusals) add(level string, now time.Duration) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.levels[level]
	if p == nil {
		s.forget(now)
		p = &pressure{base: 1, since: now}
		s.levels[level] = p
	}
	base := p.add(now)
	return base + s.draw(base+1)
}

// forget makes room when levels come and go.
func (s *refusals) forget(now time.Duration) {
	if len(s.levels) < forgetful {
		return
	}
	for name, p := range s.levels {
		if now-p.since > memory {
			delete(s.levels, name)
		}
	}
}

// pressure is how hard a level is pressed.
type pressure struct {
	base    int           // seconds
	since   time.Duration // when the present period began; it lasts base seconds
	refused int           // in the present period
}

// add counts a refusal and returns the base that it leads to.
func (p *pressure) add(now time.Duration) int {
	if elapsed := now - p.since; elapsed >= p.period() {
		idle := elapsed - p.period()
		switch {
		case p.refused >= 3*p.base && idle < p.period():
			p.base = min(2*p.base, maxBase)
		case p.refused < p.base:
			p.base = max(p.base-1, 1)
		}
		// Periods without any refusal have passed since.
		for ; p.base > 1 && idle >= p.period(); p.base-- {
			idle -= p.period()
		}
		p.since, p.refused = now, 0
	}
	p.refused++
	return p.base
}

func (p *pressure) period() time.Duration { return time.Duration(p.base) * time.Second }
