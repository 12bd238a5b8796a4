package total

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// plant is a machine that executes requests. A request computes, and waits for etcd. It
// is a closed network of a processor station and a delay, in the limit of many requests: with n
// requests the throughput is the bottleneck's, and what does not wait for etcd is at the
// processors.
type plant struct {
	processors    float64
	compute, etcd float64 // seconds of one request
	// slice is by how much, in seconds, the scheduling latency rises with each goroutine
	// that waits for a processor, for each processor.
	slice float64
	// memory is the part of the limit that is in use without requests, and the part that each
	// takes.
	memory, memoryOfRequest float64
	// cliff is the number of requests above which the latency is 200 ms; 0 means none.
	cliff float64
}

// atProcessors returns how many of n requests wait for a processor, and the throughput.
func (p plant) atProcessors(n float64) (waiting, throughput float64) {
	throughput = min(n/(p.compute+p.etcd), p.processors/p.compute)
	return max(0, n-throughput*p.etcd-p.processors), throughput
}

// goodput returns the requests that are finished in a second. Ten goroutines that wait for
// each processor cost 1 % of it, and so does collecting garbage at half of the memory
// limit, but more towards the limit. Beyond that hardly any request is finished.
func (p plant) goodput(n float64) float64 {
	waiting, throughput := p.atProcessors(n)
	throughput /= 1 + waiting/(1000*p.processors)
	used := p.memory + n*p.memoryOfRequest
	if used >= 1 {
		return throughput / 10
	}
	return throughput * (1 - min(0.5, 0.01*used/(1-used)))
}

// sample measures the machine with n requests, with noise.
func (p plant) sample(n float64, random *rand.Rand) Sample {
	waiting, _ := p.atProcessors(n)
	latency := 0.0002 + p.slice*waiting/p.processors
	if p.cliff > 0 && n > p.cliff {
		latency = 0.200
	}
	noise := func() float64 { return math.Exp(0.2 * random.NormFloat64()) }
	return sampleOf(latency*noise(), p.memory+n*p.memoryOfRequest*noise(), 0)
}

// simulate returns the totals of a number of steps under a demand for seats.
func (p plant) simulate(static int, o Options, demand float64, steps int, random *rand.Rand) []int {
	r := newRun(static, o)
	totals := make([]int, 0, steps)
	inEffect := static
	for range steps {
		inUse := min(float64(inEffect), demand)
		samples := make([]Sample, 10)
		for i := range samples {
			samples[i] = p.sample(inUse, random)
		}
		load := Load{Use: inUse}
		if demand > inUse {
			load.Short = 1
		}
		inEffect = r.step(samples, load).Total
		totals = append(totals, inEffect)
	}
	return totals
}

// best returns the largest goodput of any static total within the bounds.
func (p plant) best(static int, o Options, demand float64) float64 {
	best := 0.0
	lowest, highest := o.Bounds(static)
	for total := lowest; total <= highest; total++ {
		best = max(best, p.goodput(min(float64(total), demand)))
	}
	return best
}

func meanAndDeviation(totals []int) (mean, deviation float64) {
	for _, total := range totals {
		mean += float64(total) / float64(len(totals))
	}
	for _, total := range totals {
		deviation += (float64(total) - mean) * (float64(total) - mean) / float64(len(totals))
	}
	return mean, math.Sqrt(deviation)
}

// scenario is a plant with a static total.
type scenario struct {
	name    string
	plant   plant
	static  int
	options Options
}

func scenarios() []scenario {
	processors := plant{processors: 8, compute: 0.005, etcd: 0.020, slice: 0.0025, memory: 0.3}
	memory := plant{processors: 8, compute: 0.001, etcd: 0.020, slice: 0.0025, memory: 0.3, memoryOfRequest: 0.002}
	etcd := plant{processors: 8, compute: 0.005, etcd: 2, slice: 0.0025, memory: 0.3}
	cliff := processors
	cliff.cliff = 100
	return []scenario{
		{"processors are short", processors, 200, Options{}},
		{"processors are short, and the static total is five times too large", processors, 1000, Options{Min: 20}},
		{"processors are short, and the static total is too small", processors, 60, Options{Max: 1000}},
		{"memory is short", memory, 400, Options{}},
		{"memory is short, and the static total is too small", memory, 100, Options{Max: 1000}},
		{"etcd is slow", etcd, 400, Options{}},
		{"processors are short all at once", cliff, 150, Options{}},
	}
}

const (
	// settled is how many steps bring the total to rest: 5 minutes.
	settled = 30
	// simulated is the number of steps of a simulation.
	simulated = 300
)

func TestTotalComesToRestWithinThirtySteps(t *testing.T) {
	for i, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			totals := s.plant.simulate(s.static, s.options, 1e6, simulated, rand.New(rand.NewPCG(1, uint64(i))))
			mean, deviation := meanAndDeviation(totals[settled:])
			t.Logf("mean %.0f, standard deviation %.2f %%", mean, 100*deviation/mean)
			assert.Less(t, deviation, 0.05*mean)
			for _, total := range totals[settled:] {
				assert.InDelta(t, mean, total, 0.15*mean)
			}
		})
	}
}

func TestGoodputIsThatOfTheBestStaticTotal(t *testing.T) {
	for i, s := range scenarios() {
		for _, overload := range []float64{2, 5, 10} {
			demand := overload * s.plant.processors / s.plant.compute * (s.plant.compute + s.plant.etcd)
			totals := s.plant.simulate(s.static, s.options, demand, simulated, rand.New(rand.NewPCG(2, uint64(i))))
			goodput := 0.0
			for _, total := range totals[settled:] {
				goodput += s.plant.goodput(min(float64(total), demand)) / float64(simulated-settled)
			}
			best := s.plant.best(s.static, s.options, demand)
			t.Logf("%s, %v times the capacity: %.3f of the best", s.name, overload, goodput/best)
			assert.GreaterOrEqual(t, goodput, 0.95*best, "%s, %v times the capacity", s.name, overload)
		}
	}
}

func TestMemoryIsNotExhaustedOnceTheTotalHasSettled(t *testing.T) {
	for i, s := range scenarios() {
		if s.plant.memoryOfRequest == 0 {
			continue
		}
		for _, total := range s.plant.simulate(s.static, s.options, 1e6, simulated, rand.New(rand.NewPCG(3, uint64(i))))[settled:] {
			assert.Less(t, s.plant.memory+float64(total)*s.plant.memoryOfRequest, 0.95, s.name)
		}
	}
}

func TestTotalFollowsAMachineThatChanges(t *testing.T) {
	fast := scenarios()[0].plant
	slow := fast
	slow.processors = 2
	random := rand.New(rand.NewPCG(4, 4))
	r := newRun(200, Options{Min: 10, Max: 1000})
	inEffect := 200
	at := func(p plant, steps int) float64 {
		var totals []int
		for range steps {
			samples := make([]Sample, 10)
			for i := range samples {
				samples[i] = p.sample(float64(inEffect), random)
			}
			inEffect = r.step(samples, busy()).Total
			totals = append(totals, inEffect)
		}
		mean, _ := meanAndDeviation(totals[steps/2:])
		return mean
	}
	before, during, after := at(fast, 60), at(slow, 60), at(fast, 60)
	assert.Less(t, during, 0.5*before, "three quarters of the processors are gone")
	assert.Greater(t, after, 1.5*during, "and come back")
}
