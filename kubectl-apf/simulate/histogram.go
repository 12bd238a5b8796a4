package simulate

import (
	"maps"
	"math"
	"math/bits"
	"slices"
	"time"
)

// histogram counts durations in buckets that are at most 1/64 wide of their lower bound.
// The zero histogram is empty.
type histogram struct {
	zeros, count uint64 // count includes zeros
	sum          float64
	max          time.Duration
	buckets      map[uint16]uint64
}

// mantissa is the number of bits of a duration, after the first, that tell buckets apart.
const mantissa = 6

func bucketOf(d time.Duration) uint16 {
	shift := max(bits.Len64(uint64(d))-mantissa-1, 0)
	return uint16(shift<<mantissa + int(uint64(d)>>shift))
}

// middleOf returns the middle of a bucket.
func middleOf(bucket uint16) time.Duration {
	shift := max(int(bucket)>>mantissa-1, 0)
	low := (uint64(bucket) - uint64(shift)<<mantissa) << shift
	return time.Duration(low + (uint64(1)<<shift)/2)
}

// add counts a duration. Negative ones count as 0.
func (h *histogram) add(d time.Duration) {
	h.count++
	if d <= 0 {
		h.zeros++
		return
	}
	if h.buckets == nil {
		h.buckets = map[uint16]uint64{}
	}
	h.buckets[bucketOf(d)]++
	h.sum += d.Seconds()
	h.max = max(h.max, d)
}

// join adds the durations of another histogram.
func (h *histogram) join(other *histogram) {
	h.zeros += other.zeros
	h.count += other.count
	h.sum += other.sum
	h.max = max(h.max, other.max)
	if h.buckets == nil {
		h.buckets = map[uint16]uint64{}
	}
	for bucket, n := range other.buckets {
		h.buckets[bucket] += n
	}
}

// quantiles returns for each q, from 0 to 1 and in ascending order, the smallest duration
// that at least this part of the durations does not exceed; 0 if it is empty.
func (h *histogram) quantiles(qs ...float64) []time.Duration {
	out := make([]time.Duration, len(qs))
	reached, i := h.zeros, 0
	need := func(q float64) uint64 { return max(1, uint64(math.Ceil(q*float64(h.count)))) }
	for i < len(qs) && reached >= need(qs[i]) {
		i++
	}
	for _, bucket := range slices.Sorted(maps.Keys(h.buckets)) {
		reached += h.buckets[bucket]
		for i < len(qs) && reached >= need(qs[i]) {
			out[i] = min(middleOf(bucket), h.max)
			i++
		}
	}
	return out
}
