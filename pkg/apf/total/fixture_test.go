package total

import (
	"time"
)

// samplesOf returns a step's samples, all with these signals.
func samplesOf(latency, memory, throttling float64) []Sample {
	samples := make([]Sample, 10)
	for i := range samples {
		samples[i] = sampleOf(latency, memory, throttling)
	}
	return samples
}

func sampleOf(latency, memory, throttling float64) Sample {
	return Sample{
		SchedulingLatency: {Value: latency},
		Memory:            {Value: memory},
		Throttling:        {Value: throttling},
	}
}

// clear are samples of a machine that is not short, short are samples of one that is.
func clearSamples() []Sample { return samplesOf(0.001, 0.5, 0) }
func shortSamples() []Sample { return samplesOf(1, 0.5, 0) }

// busy is a load that wants more seats than there are.
func busy() Load { return Load{Use: 1000, Short: 1} }

// run is a controller in virtual time.
type run struct {
	*Controller
	now time.Duration
}

func newRun(static int, o Options) *run {
	return &run{Controller: NewController(static, o, 0)}
}

// step makes a step after a Period.
func (r *run) step(samples []Sample, load Load) Recommendation {
	r.now += Period
	return r.Step(r.now, samples, load)
}
