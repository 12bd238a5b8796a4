package stats

import (
	"math"
	"time"
)

// TimeWeighted is a histogram of the time that a ratio of an integer and a
// denominator spent in each bucket, see the package comment. It is not safe
// for concurrent use. Create one with NewTimeWeighted.
type TimeWeighted struct {
	bounds      []float64 // inclusive upper bounds of the ratio
	largest     []int     // largest numerator of each bucket but the last
	nanoseconds []uint64  // time per bucket
	sum         float64   // ratio times nanoseconds

	last        time.Duration // when the ratio last changed
	numerator   int
	denominator float64
	bucket      int // of the present ratio
}

// NewTimeWeighted returns a histogram with the given inclusive upper bounds,
// whose ratio is 0/1 from now on. The bounds are shared, not copied.
func NewTimeWeighted(bounds []float64, now time.Duration) *TimeWeighted {
	t := &TimeWeighted{
		bounds:      bounds,
		largest:     make([]int, len(bounds)),
		nanoseconds: make([]uint64, len(bounds)+1),
		last:        now,
	}
	t.SetDenominator(now, 1)
	return t
}

// Set makes n the numerator from now on.
func (t *TimeWeighted) Set(now time.Duration, n int) {
	if n == t.numerator {
		return
	}
	t.advance(now)
	t.numerator = n
	t.place()
}

// SetDenominator makes d the denominator from now on. One that is not positive
// counts as 1.
func (t *TimeWeighted) SetDenominator(now time.Duration, d float64) {
	if !(d > 0) {
		d = 1
	}
	if d == t.denominator {
		return
	}
	t.advance(now)
	t.denominator = d
	for i, bound := range t.bounds {
		t.largest[i] = largestWithin(bound, d)
	}
	t.place()
}

// largestWithin returns the largest integer n with n/d <= bound, in the
// arithmetic of float64.
func largestWithin(bound, d float64) int {
	n := math.Floor(bound * d)
	for n/d > bound {
		n--
	}
	for (n+1)/d <= bound {
		n++
	}
	return int(n)
}

func (t *TimeWeighted) place() {
	for t.bucket > 0 && t.numerator <= t.largest[t.bucket-1] {
		t.bucket--
	}
	for t.bucket < len(t.largest) && t.numerator > t.largest[t.bucket] {
		t.bucket++
	}
}

func (t *TimeWeighted) advance(now time.Duration) {
	if now <= t.last {
		return
	}
	dt := now - t.last
	t.last = now
	t.nanoseconds[t.bucket] += uint64(dt)
	if t.numerator != 0 {
		t.sum += float64(t.numerator) / t.denominator * float64(dt)
	}
}

// Snapshot returns the distribution up to now. Its counts are nanoseconds, its
// sum is the ratio times nanoseconds.
func (t *TimeWeighted) Snapshot(now time.Duration) Distribution {
	t.advance(now)
	return Distribution{
		Bounds: t.bounds,
		Counts: append([]uint64(nil), t.nanoseconds...),
		Sum:    t.sum,
	}
}
