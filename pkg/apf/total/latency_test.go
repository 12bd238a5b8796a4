package total

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// latencyLimit is a limit of concurrency that follows the mean latency of the last second, for comparison.
// github.com/Netflix/concurrency-limits publishes the rules, with its default parameters.
type latencyLimit interface {
	// next returns the limit after a second with this limit and mean latency, in any unit,
	// while all that the limit permits is in use.
	next(limit, latency float64) float64
}

// gradient2 compares the latency with its exponential mean over 600 seconds, and permits four requests in
// a queue.
type gradient2 struct{ long float64 }

func (g *gradient2) next(limit, latency float64) float64 {
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

// vegas compares the latency with the least latency, which it measures again after about 30 times the
// limit of seconds. The difference tells how many requests wait.
type vegas struct {
	random  *rand.Rand
	least   float64
	measure float64 // seconds until the least latency is measured again
}

func (v *vegas) next(limit, latency float64) float64 {
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

// simulateLatency is simulate for a limit by latency. It returns the limit at the end of
// each step.
func (p plant) simulateLatency(l latencyLimit, limit float64, bounds [2]float64, steps int, random *rand.Rand) []int {
	limits := make([]int, 0, steps)
	for range steps {
		for range 10 {
			_, throughput := p.atProcessors(limit)
			latency := limit / throughput * math.Exp(0.1*random.NormFloat64())
			limit = min(bounds[1], max(bounds[0], l.next(limit, latency)))
		}
		limits = append(limits, int(math.Round(limit)))
	}
	return limits
}

func (p plant) meanGoodput(totals []int) (mean float64) {
	for _, total := range totals {
		mean += p.goodput(float64(total)) / float64(len(totals))
	}
	return mean
}

func TestGoodputIsThatOfLimitsByLatencyOrMore(t *testing.T) {
	for i, s := range scenarios() {
		best := s.plant.best(s.static, s.options, 1e6)
		lowest, highest := s.options.Bounds(s.static)
		bounds := [2]float64{float64(lowest), float64(highest)}
		part := func(name string, totals []int) float64 {
			mean, deviation := meanAndDeviation(totals[settled:])
			goodput := s.plant.meanGoodput(totals[settled:]) / best
			t.Logf("%s: %-9s mean %4.0f, deviation %4.1f %%, goodput %.3f of the best", s.name, name, mean, 100*deviation/mean, goodput)
			return goodput
		}
		random := rand.New(rand.NewPCG(5, uint64(i)))
		own := part("this", s.plant.simulate(s.static, s.options, 1e6, simulated, random))
		byGradient := part("Gradient2", s.plant.simulateLatency(&gradient2{}, float64(s.static), bounds, simulated, random))
		byVegas := part("Vegas", s.plant.simulateLatency(&vegas{random: random}, float64(s.static), bounds, simulated, random))
		assert.GreaterOrEqual(t, own, 0.97*max(byGradient, byVegas), s.name)
	}
}

// Why latencies are no input: while etcd is slow, a limit by latency falls, and with it
// what the server finishes, although the machine has all it needs.
func TestSlowEtcdLowersLimitsByLatencyAndNotTheTotal(t *testing.T) {
	const static = 100
	usual := plant{processors: 8, compute: 0.005, etcd: 0.020, slice: 0.0025, memory: 0.3}
	slow := usual
	slow.etcd = 0.200
	bounds := [2]float64{50, 200}
	for name, l := range map[string]latencyLimit{"Gradient2": &gradient2{}, "Vegas": &vegas{random: rand.New(rand.NewPCG(8, 8))}} {
		random := rand.New(rand.NewPCG(6, 6))
		before := usual.simulateLatency(l, static, bounds, 60, random)
		during := slow.simulateLatency(l, float64(before[len(before)-1]), bounds, 30, random)
		assert.Less(t, slow.meanGoodput(during), 0.8*slow.goodput(static), name)
	}
	totals := slow.simulate(static, Options{}, 1e6, 30, rand.New(rand.NewPCG(6, 6)))
	assert.GreaterOrEqual(t, slow.meanGoodput(totals), slow.goodput(static))
}
