package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// result is what one server came to.
type result struct {
	short   shortage
	factor  float64
	regime  regime
	outcome outcome // of all rounds together
	// goodputs are requests a second, by round.
	goodputs map[int]float64
	quiet    float64 // p99 of the important client, in seconds
	// busy is the same under the load, one number for each round, and rejected how many of its
	// requests were rejected with 429 or got no answer.
	busy     []float64
	rejected int
	peak     float64 // resident memory, in bytes, also while an adaptive total comes to rest
	// seats are the total, or the seats of the elephant's level, one number each second.
	seats []float64
}

// goodput returns the median of the rounds.
func (r *result) goodput() float64 {
	return measurement.Summarize(slices.Collect(maps.Values(r.goodputs))).Center
}

// beside says how the goodput relates to another result's: the median of the rounds that both have,
// and the interval around it.
func (r *result) beside(other *result) string {
	var ratios []float64
	for round, goodput := range r.goodputs {
		if others, both := other.goodputs[round]; both {
			ratios = append(ratios, goodput/others)
		}
	}
	ratio := measurement.Summarize(ratios)
	if math.IsInf(ratio.Lo, 0) || math.IsInf(ratio.Hi, 0) || r == other { // too few rounds
		return fmt.Sprintf("%.2f", ratio.Center)
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", ratio.Center, ratio.Lo, ratio.Hi)
}

// name says how many seats there were.
func (r *result) name() string {
	if !r.regime.moves {
		return r.regime.name
	}
	mean, _ := meanAndDeviation(r.seats)
	return fmt.Sprintf("%s, %.0f", r.regime.name, mean)
}

// outOfMemory reports whether a server with a limit exceeded it by a tenth, as which a
// kernel would have killed it: GOMEMLIMIT belongs at nine tenths of what a container has.
func (r *result) outOfMemory() bool { return r.short.memory > 0 && r.peak > r.short.memory/0.9 }

func (r *result) String() string {
	return fmt.Sprintf("%s: goodput %.1f, %+v, important p99 %.3f after %v, %d of them rejected, peak %.0f MiB, seats %.0f",
		r.name(), slices.Sorted(maps.Values(r.goodputs)), r.outcome, r.busy, duration(r.quiet), r.rejected, r.peak/mebibyte, r.seats)
}

func duration(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second)).Round(100 * time.Microsecond)
}

// meanAndDeviation returns the mean and the standard deviation.
func meanAndDeviation(values []float64) (mean, deviation float64) {
	if len(values) == 0 {
		return 0, 0
	}
	for _, value := range values {
		mean += value / float64(len(values))
	}
	for _, value := range values {
		deviation += (value - mean) * (value - mean) / float64(len(values))
	}
	return mean, math.Sqrt(deviation)
}
