// Package latencylimit has limits of concurrency that follow the latency of requests, for
// comparison with package total, which does not. github.com/Netflix/concurrency-limits publishes
// the rules, with its default parameters. Both limits are updated every second.
package latencylimit

import (
	"math"
	"math/rand/v2"
)

// Limit is a limit that follows the mean latency of the last second. It is not safe for
// concurrent use.
type Limit interface {
	// Next returns the limit after a second with this limit and mean latency, in any unit,
	// while all that the limit permits is in use.
	Next(limit, latency float64) float64
}

// NewGradient2 returns a Limit that compares the latency with its exponential mean over
// 600 seconds, and permits four requests in a queue.
func NewGradient2() Limit { return &gradient2{} }

type gradient2 struct{ long float64 }

// Next implements Limit.
func (g *gradient2) Next(limit, latency float64) float64 {
	if g.long == 0 {
		g.long = latency
	}
	g.long += (latency - g.long) * 2 / (600 + 1)
	if g.long > 2*latency {
		g.long *= 0.9
	}
	gradient := max(0.5, min(1, g.long/latency))
	return 0.8*limit + 0.2*(limit*gradient+4)
}

// NewVegas returns a Limit that compares the latency with the least latency, which it
// measures again after about 30 times the limit of seconds. The difference tells how many
// requests wait.
func NewVegas(random *rand.Rand) Limit { return &vegas{random: random} }

type vegas struct {
	random  *rand.Rand
	least   float64
	measure float64 // seconds until the least latency is measured again
}

// Next implements Limit.
func (v *vegas) Next(limit, latency float64) float64 {
	v.measure--
	if v.least == 0 || v.measure <= 0 {
		v.least, v.measure = latency, 30*limit*(0.5+v.random.Float64()/2)
		return limit
	}
	if latency < v.least {
		v.least = latency
		return limit
	}
	queue, unit := math.Ceil(limit*(1-v.least/latency)), math.Floor(math.Log10(limit))
	switch {
	case queue <= unit:
		return limit + 6*unit
	case queue < 3*unit:
		return limit + unit
	case queue > 6*unit:
		return limit - unit
	default:
		return limit
	}
}
