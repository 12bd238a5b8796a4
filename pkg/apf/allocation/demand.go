package allocation

import (
	"math"
	"time"
)

// Period is the time between two divisions of the seats by demand, as in k8s.io/apiserver.
const Period = 10 * time.Second

// DemandTracker integrates the demand of one level. It is not safe for concurrent use. The
// zero DemandTracker has no demand, and its first period starts at time zero of the clock
// of the caller.
type DemandTracker struct {
	last   time.Duration // when seats last changed
	seats  int
	offset int // seats at the beginning of the period

	// The integrals over the period of 1, of x-offset, and of its square, in
	// nanoseconds, seat-nanoseconds and seats²-nanoseconds.
	elapsed, first, second float64

	highWatermark int
}

// DemandPeriod is the demand between two calls of Reset.
type DemandPeriod struct {
	// Duration is zero if no time passed; then Average and Deviation are zero too.
	Duration time.Duration
	// Average and Deviation are weighted by time, in seats.
	Average, Deviation float64
	// HighWatermark is the largest demand in seats, including the demand at the beginning of
	// the period.
	HighWatermark int
}

// NewDemandTracker returns a DemandTracker without demand, whose first period starts now. Times
// are durations since a fixed instant.
func NewDemandTracker(now time.Duration) DemandTracker {
	return DemandTracker{last: now}
}

// Seats returns the present demand in seats.
func (t *DemandTracker) Seats() int { return t.seats }

// Set sets the demand in seats from now on.
func (t *DemandTracker) Set(now time.Duration, seats int) {
	t.advance(now)
	t.seats = seats
	t.highWatermark = max(t.highWatermark, seats)
}

// Add adds seats, which may be negative, to the demand from now on.
func (t *DemandTracker) Add(now time.Duration, seats int) {
	t.Set(now, t.seats+seats)
}

func (t *DemandTracker) advance(now time.Duration) {
	if now > t.last {
		dt := float64(now - t.last)
		x := float64(t.seats - t.offset)
		t.elapsed += dt
		t.first += x * dt
		t.second += x * x * dt
	}
	// Accept a clock that jumps back: otherwise the integration would stop for as
	// long as the jump.
	t.last = now
}

// Reset ends the period, starts the next, and returns the former.
func (t *DemandTracker) Reset(now time.Duration) DemandPeriod {
	t.advance(now)
	period := t.period()
	t.offset = t.seats
	t.elapsed, t.first, t.second = 0, 0, 0
	t.highWatermark = t.seats
	return period
}

func (t *DemandTracker) period() DemandPeriod {
	period := DemandPeriod{HighWatermark: t.highWatermark}
	if t.elapsed <= 0 {
		return period
	}
	mean := t.first / t.elapsed
	period.Duration = time.Duration(t.elapsed)
	period.Average = float64(t.offset) + mean
	// Rounding may make a variance of zero slightly negative.
	period.Deviation = math.Sqrt(max(0, t.second/t.elapsed-mean*mean))
	return period
}

// decay is A of the package comment.
const decay = 0.977

// SmoothDemand returns the smoothed demand after a period, in seats. previous is that before
// the period.
func SmoothDemand(previous float64, p DemandPeriod) float64 {
	if p.Duration <= 0 {
		return previous
	}
	envelope := p.Average + p.Deviation
	return max(envelope, decay*previous+(1-decay)*envelope)
}
