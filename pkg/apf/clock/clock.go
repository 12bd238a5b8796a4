// Package clock is the only source of time of the engine, which also runs in virtual
// time.
//
// A point in time is a time.Duration since the origin of the clock. It is monotonic: a
// step of the wall clock does not change it. The engine converts it to calendar time
// only for display.
package clock

import "time"

// Clock returns the time and calls functions later.
type Clock interface {
	// Now returns the time since the origin. It never decreases.
	Now() time.Duration
	// Wall converts a point in time to calendar time.
	Wall(sinceOrigin time.Duration) time.Time
	// AfterFunc calls f after d, on a goroutine of its own or on that which advances
	// the clock.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is a pending call of AfterFunc.
type Timer interface {
	// Reset schedules the call for d from now, and reports whether it was pending.
	Reset(d time.Duration) bool
	// Stop cancels the call, and reports whether it was pending.
	Stop() bool
}

// Real is the monotonic clock of the machine. Create one with NewReal.
type Real struct {
	origin time.Time
}

var _ Clock = (*Real)(nil)

// NewReal returns a clock whose origin is now.
func NewReal() *Real { return &Real{origin: time.Now()} }

// Now implements Clock.
func (c *Real) Now() time.Duration { return time.Since(c.origin) }

// Wall implements Clock.
func (c *Real) Wall(sinceOrigin time.Duration) time.Time { return c.origin.Add(sinceOrigin) }

// AfterFunc implements Clock.
func (c *Real) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }
