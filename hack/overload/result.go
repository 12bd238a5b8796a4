package main

import (
	"fmt"
	"math"
	"time"
)

// result is what one server came to.
type result struct {
	short   shortage
	factor  float64
	regime  regime
	outcome outcome
	goodput float64 // requests a second
	// quiet and busy are the p99 of the important client, in seconds.
	quiet, busy float64
	// refused is the number of requests of the important client that were rejected with 429
	// or got no answer.
	refused int
	peak    float64 // resident memory, in bytes
	// seats are the total, or the seats of the elephant's level, one number each second.
	seats []float64
}

// name says how many seats there were.
func (r result) name() string {
	if !r.regime.moves {
		return r.regime.name
	}
	mean, _ := meanAndDeviation(r.seats)
	return fmt.Sprintf("%s, %.0f", r.regime.name, mean)
}

// outOfMemory reports whether a server with a limit exceeded it by a tenth, as which a
// kernel would have killed it: GOMEMLIMIT belongs at nine tenths of what a container has.
func (r result) outOfMemory() bool { return r.short.memory > 0 && r.peak > r.short.memory/0.9 }

func (r result) String() string {
	return fmt.Sprintf("%s: goodput %.1f/s, %+v, important p99 %v after %v, %d of them refused, peak %.0f MiB, seats %.0f",
		r.name(), r.goodput, r.outcome, duration(r.busy), duration(r.quiet), r.refused, r.peak/mebibyte, r.seats)
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
