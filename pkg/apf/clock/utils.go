package clock

import (
	"sync"
	"time"

	utilclock "k8s.io/utils/clock"
)

// From returns the Clock with the time of a clock of k8s.io/utils, such as the FakeClock
// of k8s.io/utils/clock/testing. That must not go back.
func From(c utilclock.WithDelayedExecution) Clock { return &adapter{clock: c, origin: c.Now()} }

// adapter is a clock of k8s.io/utils.
type adapter struct {
	clock  utilclock.WithDelayedExecution
	origin time.Time
}

var _ Clock = (*adapter)(nil)

// Now implements Clock.
func (a *adapter) Now() time.Duration { return a.clock.Since(a.origin) }

// Wall implements Clock.
func (a *adapter) Wall(sinceOrigin time.Duration) time.Time { return a.origin.Add(sinceOrigin) }

// AfterFunc implements Clock.
func (a *adapter) AfterFunc(d time.Duration, f func()) Timer {
	t := &adapterTimer{clock: a.clock, call: f}
	t.Reset(d)
	return t
}

// adapterTimer is a Timer on a clock of k8s.io/utils. Each Reset makes a timer of that
// clock: one of FakeClock blocks when it is due for the second time.
type adapterTimer struct {
	clock utilclock.WithDelayedExecution
	call  func()

	mu      sync.Mutex // guards what follows
	serial  int        // of the last Reset
	pending bool
	timer   utilclock.Timer
}

var _ Timer = (*adapterTimer)(nil)

// Reset implements Timer.
func (t *adapterTimer) Reset(d time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	pending := t.cancel()
	t.serial++
	serial := t.serial
	t.pending = true
	// FakeClock calls while it is locked, and the call may ask it for the time.
	t.timer = t.clock.AfterFunc(max(d, 0), func() { go t.fire(serial) })
	return pending
}

// Stop implements Timer.
func (t *adapterTimer) Stop() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cancel()
}

// cancel cancels the call and reports whether it was pending.
func (t *adapterTimer) cancel() bool {
	pending := t.pending
	if pending {
		t.timer.Stop()
	}
	t.pending = false
	return pending
}

// fire makes the call that the Reset of a serial number scheduled, unless it was
// canceled since.
func (t *adapterTimer) fire(serial int) {
	t.mu.Lock()
	due := t.pending && t.serial == serial
	if due {
		t.pending = false
	}
	t.mu.Unlock()
	if due {
		t.call()
	}
}
