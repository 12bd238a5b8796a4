package clock

import (
	"container/heap"
	"sync"
	"time"
)

// Fake is a clock for tests, which stands still until it is advanced. Its calls run on
// the goroutine that advances it, in order of time, and calls of one instant in the order of
// scheduling. Create one with NewFake.
type Fake struct {
	origin time.Time

	mu     sync.Mutex // guards what follows
	now    time.Duration
	serial uint64
	calls  callHeap
}

var _ Clock = (*Fake)(nil)

// NewFake returns a clock at its origin.
func NewFake(origin time.Time) *Fake { return &Fake{origin: origin} }

// Now implements Clock.
func (c *Fake) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Wall implements Clock.
func (c *Fake) Wall(sinceOrigin time.Duration) time.Time { return c.origin.Add(sinceOrigin) }

// AfterFunc implements Clock.
func (c *Fake) AfterFunc(d time.Duration, f func()) Timer {
	t := &fakeTimer{clock: c, call: f, index: -1}
	t.Reset(d)
	return t
}

// Step advances the clock to the next pending call and makes it. It reports whether
// there was one.
func (c *Fake) Step() bool { return c.StepUpTo(1<<63 - 1) }

// Advance advances the clock by d and makes the calls that are due.
func (c *Fake) Advance(d time.Duration) { c.AdvanceTo(c.Now() + d) }

// AdvanceTo advances the clock to a time since its origin and makes the calls that are
// due.
func (c *Fake) AdvanceTo(sinceOrigin time.Duration) {
	for c.StepUpTo(sinceOrigin) {
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = max(c.now, sinceOrigin)
}

// StepUpTo is Step for calls that are due at the latest at a time since the origin.
func (c *Fake) StepUpTo(last time.Duration) bool {
	c.mu.Lock()
	if len(c.calls) == 0 || c.calls[0].due > last {
		c.mu.Unlock()
		return false
	}
	t := heap.Pop(&c.calls).(*fakeTimer)
	c.now = max(c.now, t.due)
	c.mu.Unlock()
	t.call()
	return true
}

type fakeTimer struct {
	clock  *Fake
	call   func()
	due    time.Duration
	serial uint64
	index  int // in the heap of the clock, -1 when not pending
}

func (t *fakeTimer) Reset(d time.Duration) bool {
	c := t.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	pending := t.index >= 0
	if pending {
		heap.Remove(&c.calls, t.index)
	}
	c.serial++
	t.due, t.serial = c.now+max(d, 0), c.serial
	heap.Push(&c.calls, t)
	return pending
}

func (t *fakeTimer) Stop() bool {
	c := t.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.index < 0 {
		return false
	}
	heap.Remove(&c.calls, t.index)
	return true
}

type callHeap []*fakeTimer

func (h callHeap) Len() int { return len(h) }
func (h callHeap) Less(i, j int) bool {
	if h[i].due != h[j].due {
		return h[i].due < h[j].due
	}
	return h[i].serial < h[j].serial
}
func (h callHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *callHeap) Push(x any) {
	t := x.(*fakeTimer)
	t.index = len(*h)
	*h = append(*h, t)
}
func (h *callHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	*h, t.index = old[:len(old)-1], -1
	return t
}
