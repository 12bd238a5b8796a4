package apf

import (
	"sync"
	"time"

	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
)

// utilsClock is a clock of k8s.io/utils, such as the FakeClock of k8s.io/utils/clock/testing. That must
// not go back.
type utilsClock struct {
	clock  utilclock.WithDelayedExecution
	origin time.Time
}

var _ clock.Clock = (*utilsClock)(nil)

func newUtilsClock(c utilclock.WithDelayedExecution) *utilsClock {
	return &utilsClock{clock: c, origin: c.Now()}
}

// Now implements clock.Clock.
func (c *utilsClock) Now() time.Duration { return c.clock.Since(c.origin) }

// Wall implements clock.Clock.
func (c *utilsClock) Wall(sinceOrigin time.Duration) time.Time { return c.origin.Add(sinceOrigin) }

// AfterFunc implements clock.Clock.
func (c *utilsClock) AfterFunc(d time.Duration, f func()) clock.Timer {
	t := &utilsTimer{clock: c.clock, call: f}
	t.Reset(d)
	return t
}

// utilsTimer is a clock.Timer on a clock of k8s.io/utils. Each Reset makes a timer of that
// clock: one of FakeClock blocks when it is due for the second time.
type utilsTimer struct {
	clock utilclock.WithDelayedExecution
	call  func()

	mu      sync.Mutex // guards what follows
	serial  int        // of the last Reset
	pending bool
	timer   utilclock.Timer
}

var _ clock.Timer = (*utilsTimer)(nil)

// Reset implements clock.Timer.
func (t *utilsTimer) Reset(d time.Duration) bool {
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

// Stop implements clock.Timer.
func (t *utilsTimer) Stop() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cancel()
}

// cancel cancels the call and reports whether it was pending.
func (t *utilsTimer) cancel() bool {
	pending := t.pending
	if pending {
		t.timer.Stop()
	}
	t.pending = false
	return pending
}

// fire makes the call that the Reset of a serial number scheduled, unless it was
// canceled since.
func (t *utilsTimer) fire(serial int) {
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
