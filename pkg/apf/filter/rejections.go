package filter

import (
	"math/rand/v2"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

const (
	// maxBase is the largest base of Retry-After, in seconds.
	maxBase = 16
	// keepIdle is how long a level without rejections is kept.
	keepIdle = 10 * time.Minute
	// minKept is the number of levels; below it, idle ones are kept longer.
	minKept = 64
)

// reject ends a request that got no seats. The library responds, and the exchange completes that.
func (r *request) reject() {
	after := r.rejections.add(r.apf.Level().Name, r.engine.Now())
	r.annotate(r.apf.Reason().String())
	if r.exchange != nil {
		r.exchange.rejection = &rejection{
			after: after, explanation: r.explanation(classOf(r.apf), r.apf.Reason()), ctx: r.ctx,
			version: schema.GroupVersion{Group: r.info.APIGroup, Version: r.info.APIVersion},
		}
	}
	r.apf.End()
}

// tooManyReads is what a list is told that got no seats to read from etcd.
const tooManyReads = tooManyRequests + " The watch cache cannot serve the list, and there are no seats to read it from etcd."

// rejectAgain returns the function for the error of a list that asked for seats again and got none.
// The handler responds with it. The request is a copy, since the filter's is not on the heap.
func rejectAgain(r request) func(queueset.Reason) error {
	class := classOf(r.apf) // the request may have ended
	return func(reason queueset.Reason) error {
		after := r.rejections.add(class.level, r.engine.Now())
		return r.explanation(class, reason).status(tooManyReads, after)
	}
}

// rejections computes Retry-After from the rate of rejections of each priority
// level, see the package comment.
type rejections struct {
	draw func(n int) int // a random number below n

	mu     sync.Mutex // guards what follows
	levels map[string]*levelRejections
}

func newRejections() *rejections {
	return &rejections{draw: rand.IntN, levels: map[string]*levelRejections{}}
}

// add counts a rejection at the given time and returns its Retry-After in seconds.
func (s *rejections) add(level string, now time.Duration) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.levels[level]
	if l == nil {
		s.removeIdle(now)
		l = &levelRejections{base: 1, since: now}
		s.levels[level] = l
	}
	base := l.add(now)
	return base + s.draw(base+1)
}

// removeIdle bounds the number of levels, which come and go.
func (s *rejections) removeIdle(now time.Duration) {
	if len(s.levels) < minKept {
		return
	}
	for name, l := range s.levels {
		if now-l.since > keepIdle {
			delete(s.levels, name)
		}
	}
}

// levelRejections counts the rejections of one level.
type levelRejections struct {
	base  int           // seconds
	since time.Duration // start of the current period, which lasts base seconds
	count int           // in the current period
}

// add counts a rejection and returns the base.
func (l *levelRejections) add(now time.Duration) int {
	if elapsed := now - l.since; elapsed >= l.period() {
		idle := elapsed - l.period()
		switch {
		case l.count >= 3*l.base && idle < l.period():
			l.base = min(2*l.base, maxBase)
		case l.count < l.base:
			l.base = max(l.base-1, 1)
		}
		// Each period without rejections decreases the base too.
		for ; l.base > 1 && idle >= l.period(); l.base-- {
			idle -= l.period()
		}
		l.since, l.count = now, 0
	}
	l.count++
	return l.base
}

func (l *levelRejections) period() time.Duration { return time.Duration(l.base) * time.Second }
