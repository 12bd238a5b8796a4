package total

import (
	"errors"
	"math"
	"runtime/metrics"
	"slices"
)

const (
	// latencyQuantile is the quantile of the scheduling latencies that is the signal.
	latencyQuantile = 0.99
	// fewestLatencies is the least number of latencies that give that quantile a meaning. The
	// runtime measures one in eight.
	fewestLatencies = 100
)

// latencies computes the quantile of the latencies between two readings of a cumulative
// histogram.
type latencies struct {
	previous []uint64
}

// quantile returns the quantile since the last call, as the upper bound of its bucket.
func (l *latencies) quantile(h *metrics.Float64Histogram) (float64, error) {
	if h == nil || len(h.Buckets) != len(h.Counts)+1 {
		return 0, errors.New("the Go runtime does not measure scheduling latencies")
	}
	previous := l.previous
	l.previous = slices.Clone(h.Counts) // the runtime reuses the histogram
	if len(previous) != len(h.Counts) {
		return 0, ErrQuiet
	}
	fresh := make([]uint64, len(h.Counts))
	sum := uint64(0)
	for i, n := range h.Counts {
		fresh[i] = n - min(n, previous[i])
		sum += fresh[i]
	}
	if sum < fewestLatencies {
		return 0, ErrQuiet
	}
	return bucketBound(h.Buckets, fresh, uint64(math.Ceil(latencyQuantile*float64(sum)))), nil
}

// bucketBound returns the upper bound of the bucket of the rank-th smallest value, or the
// lower bound if there is no upper one.
func bucketBound(bounds []float64, counts []uint64, rank uint64) float64 {
	for i, n := range counts {
		if n < rank {
			rank -= n
			continue
		}
		if upper := bounds[i+1]; !math.IsInf(upper, 1) {
			return upper
		}
		return bounds[i]
	}
	return bounds[len(bounds)-1]
}
