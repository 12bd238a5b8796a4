package stats

import (
	"math"
	"time"
)

// TimeWeighted is a histogram of the time that a ratio spent in each bucket, see the
// package comment. It is not safe for concurrent use. Create one with NewTimeWeighted.
type TimeWeighted struct {
	bounds      []float64 // inclusive upper bounds of the ratio
	largest     []int     // largest numerator of each bucket but the last
	nanoseconds []uint64  // time per bucket
	small       [64]uint8 // bucket of each small numerator (BenchmarkSaturated of package benchmarks)
	area        float64   // numerator times nanoseconds since the denominator changed
	sum         float64   // ratio times nanoseconds before that

	last        time.Duration // when the ratio last changed
	numerator   int
	denominator float64
	bucket      int // of the present ratio
}

// NewTimeWeighted returns a histogram with the given inclusive upper bounds. The
// ratio is 0/1 from now on. The bounds are not copied.
func NewTimeWeighted(bounds []float64, now time.Duration) *TimeWeighted {
	t := &TimeWeighted{
		bounds:      bounds,
		largest:     make([]int, len(bounds)),
		nanoseconds: make([]uint64, len(bounds)+1),
		last:        now,
		denominator: 1,
	}
	t.setBuckets()
	return t
}

// Set sets the numerator from now on.
func (t *TimeWeighted) Set(now time.Duration, n int) {
	if n == t.numerator {
		return
	}
	t.advance(now)
	t.numerator = n
	t.setBucket()
}

// SetDenominator sets the denominator from now on. If it is not positive, it is 1.
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
	t.setBuckets()
}

// setBuckets computes the buckets for a new denominator.
func (t *TimeWeighted) setBuckets() {
	for i, bound := range t.bounds {
		t.largest[i] = largestWithin(bound, t.denominator)
	}
	bucket := 0
	for n := range t.small {
		bucket = t.bucketOf(n, bucket)
		t.small[n] = uint8(bucket)
	}
	t.setBucket()
}

// exact is the limit below which float64 represents every integer.
const exact = 1 << 53

// largestWithin returns the largest integer n with n/d <= bound in float64
// arithmetic, or exact, which no numerator reaches.
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

// setBucket sets the bucket of the present ratio.
func (t *TimeWeighted) setBucket() {
	if uint(t.numerator) < uint(len(t.small)) {
		t.bucket = int(t.small[t.numerator])
		return
	}
	t.bucket = t.bucketOf(t.numerator, t.bucket)
}

// bucketOf returns the bucket of n. It searches from the bucket near.
func (t *TimeWeighted) bucketOf(n, near int) int {
	for near > 0 && n <= t.largest[near-1] {
		near--
	}
	for near < len(t.largest) && n > t.largest[near] {
		near++
	}
	return near
}

// total returns the ratio times nanoseconds.
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

// Snapshot returns the distribution up to now. Counts are nanoseconds. The sum is the
// ratio times nanoseconds.
func (t *TimeWeighted) Snapshot(now time.Duration) Distribution {
	t.advance(now)
	return Distribution{
		Bounds: t.bounds,
		Counts: append([]uint64(nil), t.nanoseconds...),
		Sum:    t.total(),
	}
}
