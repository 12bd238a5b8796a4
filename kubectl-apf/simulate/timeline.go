package simulate

import (
	"time"

	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
)

// timeline is virtual time with its events. It is used by one goroutine.
type timeline struct {
	origin time.Time
	now    time.Duration // since origin
	serial uint64
	heap   []entry
}

// entry is an event in the heap. It is void if its timer has another serial.
type entry struct {
	at     time.Duration
	serial uint64
	timer  *timer
}

func (e *entry) before(other *entry) bool {
	return e.at < other.at || e.at == other.at && e.serial < other.serial
}

// timer is a call in the future.
type timer struct {
	line   *timeline
	call   func()
	serial uint64 // of its entry; 0 while it is not pending
}

var _ clock.Timer = (*timer)(nil)

// Reset implements clock.Timer.
func (t *timer) Reset(d time.Duration) bool {
	pending := t.serial != 0
	t.line.serial++
	t.serial = t.line.serial
	t.line.push(entry{at: t.line.now + max(d, 0), serial: t.serial, timer: t})
	return pending
}

// Stop implements clock.Timer.
func (t *timer) Stop() bool {
	pending := t.serial != 0
	t.serial = 0
	return pending
}

// after schedules a call.
func (l *timeline) after(d time.Duration, call func()) *timer {
	t := &timer{line: l, call: call}
	t.Reset(d)
	return t
}

// next returns when the next event is; false if there is none.
func (l *timeline) next() (time.Duration, bool) {
	for len(l.heap) > 0 {
		if first := &l.heap[0]; first.serial == first.timer.serial {
			return first.at, true
		}
		l.pop()
	}
	return 0, false
}

// step handles the next event.
func (l *timeline) step() {
	e := l.pop()
	l.now = max(l.now, e.at)
	e.timer.serial = 0
	e.timer.call()
}

func (l *timeline) push(e entry) {
	l.heap = append(l.heap, e)
	i := len(l.heap) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&l.heap[parent]) {
			break
		}
		l.heap[i] = l.heap[parent]
		i = parent
	}
	l.heap[i] = e
}

func (l *timeline) pop() entry {
	first := l.heap[0]
	last := len(l.heap) - 1
	e := l.heap[last]
	l.heap[last] = entry{}
	l.heap = l.heap[:last]
	for i := 0; last > 0; {
		child := 4*i + 1
		if child >= last {
			l.heap[i] = e
			break
		}
		least := child
		for next := child + 1; next < min(child+4, last); next++ {
			if l.heap[next].before(&l.heap[least]) {
				least = next
			}
		}
		if !l.heap[least].before(&e) {
			l.heap[i] = e
			break
		}
		l.heap[i] = l.heap[least]
		i = least
	}
	return first
}

// apfClock is the timeline for pkg/apf.
type apfClock struct{ line *timeline }

var _ clock.Clock = apfClock{}

// Now implements clock.Clock.
func (c apfClock) Now() time.Duration { return c.line.now }

// Wall implements clock.Clock.
func (c apfClock) Wall(sinceOrigin time.Duration) time.Time { return c.line.origin.Add(sinceOrigin) }

// AfterFunc implements clock.Clock.
func (c apfClock) AfterFunc(d time.Duration, f func()) clock.Timer { return c.line.after(d, f) }

// libraryClock is the timeline for k8s.io/apiserver.
type libraryClock struct {
	line *timeline
	// drain is called after each event: it may have dispatched requests.
	drain func()
}

var _ eventclock.Interface = libraryClock{}

// Now implements eventclock.Interface.
func (c libraryClock) Now() time.Time { return c.line.origin.Add(c.line.now) }

// Since implements eventclock.Interface.
func (c libraryClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Sleep implements eventclock.Interface. Nothing that is simulated sleeps.
func (libraryClock) Sleep(time.Duration) { panic("simulate: a queue set sleeps") }

// EventAfterDuration implements eventclock.Interface.
func (c libraryClock) EventAfterDuration(f eventclock.EventFunc, d time.Duration) {
	c.line.after(d, func() {
		f(c.Now())
		c.drain()
	})
}

// EventAfterTime implements eventclock.Interface.
func (c libraryClock) EventAfterTime(f eventclock.EventFunc, t time.Time) {
	c.EventAfterDuration(f, t.Sub(c.Now()))
}
