package machine

import (
	"io/fs"
	"runtime/metrics"
)

// Sampler takes samples of the machine of this process. It is not safe for concurrent
// use. Create one with NewSampler.
type Sampler struct {
	root      fs.FS
	runtime   runtimeReader
	latencies latencies
	quota     quota
}

// NewSampler returns a Sampler that reads files below root: os.DirFS("/"), but for tests.
func NewSampler(root fs.FS) *Sampler {
	return &Sampler{root: root, runtime: newRuntimeReader(metrics.Read)}
}

// Sample returns the present signals. Those that measure a difference are quiet in the
// first sample.
func (s *Sampler) Sample() Sample {
	s.runtime.read()
	var sample Sample
	sample[SchedulingLatency] = reading(s.latencies.quantile(s.runtime.latencies()))
	sample[Memory] = reading(memory(s.root, newGoMemory(s.runtime.bytes)))
	sample[Throttling] = reading(s.quota.throttled(s.root))
	return sample
}

func reading(value float64, err error) Reading { return Reading{Value: value, Err: err} }
