package estimate

import (
	"math"
	"time"
)

const (
	// keep is the part of the weights that a new list leaves.
	keep = 0.75
	// halfLife is the time that halves the weights.
	halfLife = 10 * time.Minute
	// resolution is the time between reductions of weights: an exponential costs as much as all the
	// rest.
	resolution = time.Second
	// largerPart is the part of the bytes that lists larger than the estimate may have
	// taken.
	largerPart = 0.1

	// smallest and largest bound the bytes that count of a list: one seat, and the most
	// seats of a list. The first bucket has all lists up to smallest.
	smallest, largest = 100_000, 10_000_000
	// bucketsPerDouble is the number of buckets for a factor of two.
	bucketsPerDouble = 2
	// buckets reach to 18 million bytes. The last has everything that is larger.
	buckets = 16
)

// histogram has the sizes of lists, see the package comment.
type histogram struct {
	weights [buckets]float64
	means   [buckets]float64 // of the sizes in the bucket, by weight, in bytes
	at      time.Duration    // until which the weights are reduced
}

func bucketOf(bytes float64) int {
	if bytes <= smallest {
		return 0
	}
	return min(int(math.Ceil(bucketsPerDouble*math.Log2(bytes/smallest))), buckets-1)
}

// add adds the size of a list. A time before an earlier list's counts as the earlier list's.
func (h *histogram) add(bytes float64, now time.Duration) {
	factor := keep
	if passed := now - h.at; passed >= resolution {
		factor *= math.Exp2(-float64(passed) / float64(halfLife))
		h.at = now
	}
	for i := range h.weights {
		h.weights[i] *= factor
	}
	i := bucketOf(bytes)
	h.means[i] = (h.means[i]*h.weights[i] + bytes) / (h.weights[i] + 1)
	h.weights[i]++
}

// bytes returns the bytes of the lists of a bucket, as far as they count.
func (h *histogram) bytes(i int) float64 {
	return h.weights[i] * min(max(h.means[i], smallest), largest)
}

// quantile returns the estimate in bytes.
func (h *histogram) quantile() int64 {
	total := 0.0
	for i := range h.weights {
		total += h.bytes(i)
	}
	larger := 0.0
	for i := buckets - 1; i > 0; i-- {
		if larger += h.bytes(i); larger > largerPart*total {
			return int64(math.Round(h.means[i]))
		}
	}
	return int64(math.Round(h.means[0]))
}

// weight returns the sum of the weights: the number of lists that are remembered.
func (h *histogram) weight() float64 {
	sum := 0.0
	for _, weight := range h.weights {
		sum += weight
	}
	return sum
}
