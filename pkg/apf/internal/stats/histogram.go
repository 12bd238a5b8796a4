package stats

import (
	"sort"
	"sync/atomic"
	"time"
)

// maxBounds is the largest number of bounds that a Histogram may have.
const maxBounds = 13

// Histogram counts observations of integers in buckets. Every call requires the
// same Bounds. The zero Histogram is empty. It is safe for concurrent use.
type Histogram struct {
	counts [maxBounds + 1]atomic.Uint64
	sum    atomic.Uint64
}

// Bounds are the bounds of the buckets of a Histogram.
type Bounds struct {
	// Upper are the inclusive upper bounds of all buckets but the last, ascending, in
	// the integer unit of the observations.
	Upper []int64
	// Unit is how many units of the observations are one unit of the metric: 1e9 for
	// nanoseconds and seconds.
	Unit float64
}

// Observe adds one observation. A negative one counts as 0.
func (h *Histogram) Observe(b *Bounds, value int64) {
	value = max(value, 0)
	i := 0
	for i < len(b.Upper) && value > b.Upper[i] {
		i++
	}
	h.counts[i].Add(1)
	h.sum.Add(uint64(value))
}

// Distribution is a snapshot of a histogram.
type Distribution struct {
	// Bounds are the inclusive upper bounds of all buckets but the last, in
	// units of the metric.
	Bounds []float64
	// Counts are the observations of each bucket, not cumulative. The last bucket has
	// no upper bound.
	Counts []uint64
	// Sum is the sum of the observations in units of the metric.
	Sum float64
}

// Count returns the number of observations.
func (d *Distribution) Count() uint64 {
	var n uint64
	for _, c := range d.Counts {
		n += c
	}
	return n
}

func newDistribution(b *Bounds) Distribution {
	d := Distribution{Bounds: make([]float64, len(b.Upper)), Counts: make([]uint64, len(b.Upper)+1)}
	for i, upper := range b.Upper {
		d.Bounds[i] = float64(upper) / b.Unit
	}
	return d
}

// observe adds n observations of one value.
func (d *Distribution) observe(value float64, n uint64) {
	d.Counts[sort.SearchFloat64s(d.Bounds, value)] += n
	d.Sum += value * float64(n)
}

// addTo adds the contents of h to d, which must have the same bounds.
func (h *Histogram) addTo(d *Distribution, b *Bounds) {
	for i := range d.Counts {
		d.Counts[i] += h.counts[i].Load()
	}
	d.Sum += float64(h.sum.Load()) / b.Unit
}

func (h *Histogram) count() uint64 {
	var n uint64
	for i := range h.counts {
		n += h.counts[i].Load()
	}
	return n
}

// The bounds equal the bounds in k8s.io/apiserver, for the same dashboards.

func durationBounds() Bounds {
	const ms = int64(time.Millisecond)
	return Bounds{Unit: 1e9, Upper: []int64{
		0, 5 * ms, 20 * ms, 50 * ms, 100 * ms, 200 * ms, 500 * ms,
		1000 * ms, 2000 * ms, 5000 * ms, 10000 * ms, 15000 * ms, 30000 * ms,
	}}
}

func queueLengthBounds() Bounds {
	return Bounds{Unit: 1, Upper: []int64{0, 10, 25, 50, 100, 250, 500, 1000}}
}

func watchCountBounds() Bounds {
	return Bounds{Unit: 1, Upper: []int64{0, 1, 10, 100, 1000, 10000}}
}

func seatBounds() Bounds {
	return Bounds{Unit: 1, Upper: []int64{1, 2, 4, 10}}
}
