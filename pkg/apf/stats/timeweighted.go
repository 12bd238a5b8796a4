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
	few         [64]uint8 // bucket of each small numerator
	area        float64   // numerator times nanoseconds, since the denominator changed
	sum         float64   // ratio times nanoseconds, before that

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
		denominator: 1,
	}
	t.divide()
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
	t.sum, t.area = t.total(), 0
	t.denominator = d
	t.divide()
}

// divide finds the buckets of a new denominator.
func (t *TimeWeighted) divide() {
	for i, bound := range t.bounds {
		t.largest[i] = largestWithin(bound, t.denominator)
	}
	bucket := 0
	for n := range t.few {
		bucket = t.bucketOf(n, bucket)
		t.few[n] = uint8(bucket)
	}
	t.place()
}

// exact is from where on float64 does not tell one integer from the next.
const exact = 1 << 53

// largestWithin returns the largest integer n with n/d <= bound, in the
// arithmetic of float64, or an integer that no numerator reaches.
func largestWithin(bound, d float64) int {
	n := math.Floor(bound * d)
	if n >= exact {
		return exact
	}
	for n/d > bound {
		n--
	}
	for (n+1)/d <= bound {
		n++
	}
	return int(n)
}

func (t *TimeWeighted) place() {
	if uint(t.numerator) < uint(len(t.few)) {
		t.bucket = int(t.few[t.numerator])
		return
	}
	t.bucket = t.bucketOf(t.numerator, t.bucket)
}

// bucketOf returns the bucket of n, which is not far from the given one.
func (t *TimeWeighted) bucketOf(n, near int) int {
	for near > 0 && n <= t.largest[near-1] {
		near--
	}
	for near < len(t.largest) && n > t.largest[near] {
		near++
	}
	return near
}

// total is the ratio times nanoseconds.
func (t *TimeWeighted) total() float64 { return t.sum + t.area/t.denominator }

func (t *TimeWeighted) advance(now time.Duration) {
	if now <= t.last {
		return
	}
	dt := now - t.last
	t.last = now
	t.nanoseconds[t.bucket] += uint64(dt)
	t.area += float64(t.numerator) * float64(dt)
}

// Snapshot returns the distribution up to now. Its counts are nanoseconds, its
// sum is the ratio times nanoseconds.
func (t *TimeWeighted) Snapshot(now time.Duration) Distribution {
	t.advance(now)
	return Distribution{
		Bounds: t.bounds,
		Counts: append([]uint64(nil), t.nanoseconds...),
		Sum:    t.total(),
	}
}
