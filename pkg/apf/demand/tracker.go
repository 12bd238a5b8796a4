package demand

import (
	"math"
	"time"
)

// Tracker integrates the demand of one level. It is not safe for concurrent
// use: it belongs under the lock that guards the demand itself. The zero
// Tracker has no demand, and starts its first period at time zero of the
// caller's clock.
type Tracker struct {
	last   time.Duration // when seats last changed
	seats  int
	offset int // seats at the start of the period

	// The integrals over the period: nanoseconds, seat-nanoseconds above the
	// offset, and squares of seats above the offset times nanoseconds.
	elapsed, first, second float64

	highWatermark int
}

// Period is what a Tracker saw between two calls of Reset.
type Period struct {
	// Duration is zero if no time passed; then Average and Deviation say
	// nothing and are zero.
	Duration time.Duration
	// Average and Deviation are weighted by time, in seats.
	Average, Deviation float64
	// HighWatermark is the largest demand in seats, never below what it was at
	// the start of the period.
	HighWatermark int
}

// NewTracker returns a Tracker whose first period starts now without demand.
// Times are durations since any fixed instant.
func NewTracker(now time.Duration) Tracker {
	return Tracker{last: now}
}

// Seats returns the present demand in seats.
func (t *Tracker) Seats() int { return t.seats }

// Set says that from now on the demand is the given number of seats.
func (t *Tracker) Set(now time.Duration, seats int) {
	t.advance(now)
	t.seats = seats
	t.highWatermark = max(t.highWatermark, seats)
}

// Add says that from now on the demand is larger by the given number of seats,
// or smaller if that is negative.
func (t *Tracker) Add(now time.Duration, seats int) {
	t.Set(now, t.seats+seats)
}

func (t *Tracker) advance(now time.Duration) {
	if now > t.last {
		dt := float64(now - t.last)
		x := float64(t.seats - t.offset)
		t.elapsed += dt
		t.first += x * dt
		t.second += x * x * dt
	}
	// Going back, the clock is believed too: otherwise one jump would stop
	// the integration for as long as it was wide.
	t.last = now
}

// Reset ends the period now, starts the next, and returns the one that ended.
func (t *Tracker) Reset(now time.Duration) Period {
	t.advance(now)
	period := t.period()
	t.offset = t.seats
	t.elapsed, t.first, t.second = 0, 0, 0
	t.highWatermark = t.seats
	return period
}

func (t *Tracker) period() Period {
	period := Period{HighWatermark: t.highWatermark}
	if t.elapsed <= 0 {
		return period
	}
	mean := t.first / t.elapsed
	period.Duration = time.Duration(t.elapsed)
	period.Average = float64(t.offset) + mean
	// Rounding may leave a variance of zero a little below zero.
	period.Deviation = math.Sqrt(max(0, t.second/t.elapsed-mean*mean))
	return period
}
