package total

import (
	"io/fs"
	"runtime/metrics"
)

// Machine takes samples of the machine of this process. It is not safe for concurrent
// use. Create one with NewMachine.
type Machine struct {
	root      fs.FS
	runtime   runtimeReader
	latencies latencies
	quota     quota
}

// NewMachine returns a Sampler that reads files below root: os.DirFS("/"), but for tests.
func NewMachine(root fs.FS) *Machine {
	return &Machine{root: root, runtime: newRuntimeReader(metrics.Read)}
}

// Sample returns the present signals. Signals that measure a difference are quiet in the first
// sample.
func (s *Machine) Sample() Sample {
	s.runtime.read()
	var sample Sample
	sample[SchedulingLatency] = reading(s.latencies.quantile(s.runtime.latencies()))
	sample[Memory] = reading(memory(s.root, newGoMemory(s.runtime.bytes)))
	sample[Throttling] = reading(s.quota.throttled(s.root))
	return sample
}

func reading(value float64, err error) Reading { return Reading{Value: value, Err: err} }
