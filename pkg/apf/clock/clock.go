// Package clock is the engine's only source of time, so that every other
// package runs as well in virtual time.
//
// A point in time is a time.Duration since the clock's own origin. It is
// monotonic: a step of the wall clock does not move it. The engine reckons in
// these alone and turns one into calendar time only to show it to a person.
package clock

import "time"

// Clock tells the time and calls back later.
type Clock interface {
	// Now returns the time since the origin. It never decreases.
	Now() time.Duration
	// Wall returns a point in time as calendar time.
	Wall(sinceOrigin time.Duration) time.Time
	// AfterFunc calls f, on a goroutine of its own or on the one that moves
	// the clock, once d has passed.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is a pending call of AfterFunc.
type Timer interface {
	// Reset makes the call happen d from now, whether or not it is pending,
	// and reports whether it was.
	Reset(d time.Duration) bool
	// Stop withdraws the call and reports whether it was pending.
	Stop() bool
}

// Real is the clock of the machine. Create one with NewReal.
type Real struct {
	origin time.Time
}

var _ Clock = (*Real)(nil)

// NewReal returns a clock whose origin is now.
func NewReal() *Real { return &Real{origin: time.Now()} }

// Now implements Clock. It reads only the monotonic clock.
func (c *Real) Now() time.Duration { return time.Since(c.origin) }

// Wall implements Clock.
func (c *Real) Wall(sinceOrigin time.Duration) time.Time { return c.origin.Add(sinceOrigin) }

// AfterFunc implements Clock.
func (c *Real) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }
