package total

import (
	"errors"
	"math"
	"runtime/metrics"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestImpossibleValuesAreErrors(t *testing.T) {
	var s Sample
	for signal := range SignalCount {
		for _, value := range []float64{-0.001, math.Inf(1), math.Inf(-1), math.NaN(), 1e9} {
			s[signal].Value = value
			_, err := s.Value(signal)
			require.ErrorContains(t, err, "must be between 0 and", "%v of %v", signal, value)
		}
		s[signal].Value = 0.5
		value, err := s.Value(signal)
		require.NoError(t, err)
		assert.Equal(t, 0.5, value)
		s[signal].Err = errors.New("broken")
		_, err = s.Value(signal)
		require.EqualError(t, err, "broken")
	}
}

func TestSignalsHaveNames(t *testing.T) {
	names := map[string]bool{}
	for signal := range SignalCount {
		names[signal.String()] = true
	}
	assert.Equal(t, map[string]bool{"scheduling-latency": true, "memory": true, "throttling": true}, names)
	assert.Equal(t, "Signal(3)", SignalCount.String())
}

func TestSampleHasAllSignals(t *testing.T) {
	root := fstest.MapFS{
		"proc/self/cgroup":             {Data: []byte("0::/\n")},
		"sys/fs/cgroup/memory.max":     {Data: []byte("1000\n")},
		"sys/fs/cgroup/memory.current": {Data: []byte("250\n")},
		"sys/fs/cgroup/memory.stat":    {Data: []byte("inactive_file 0\n")},
		"sys/fs/cgroup/cpu.stat":       {Data: []byte("nr_periods 0\nnr_throttled 0\n")},
	}
	sampler := NewMachine(root)
	long := uint64(0)
	sampler.runtime = newRuntimeReader(func(samples []metrics.Sample) {
		long += 1000
		metrics.Read(samples)
		histogram := samples[schedulingLatencies].Value.Float64Histogram()
		clear(histogram.Counts)
		histogram.Counts[len(histogram.Counts)/2] = long
	})
	first := sampler.Sample()
	for _, signal := range []Signal{SchedulingLatency, Throttling} {
		_, err := first.Value(signal)
		require.ErrorIs(t, err, ErrQuiet)
	}
	root["sys/fs/cgroup/cpu.stat"] = &fstest.MapFile{Data: []byte("nr_periods 10\nnr_throttled 1\n")}
	second := sampler.Sample()
	for signal, want := range map[Signal]float64{Memory: 0.25, Throttling: 0.1} {
		value, err := second.Value(signal)
		require.NoError(t, err)
		assert.InDelta(t, want, value, 1e-9)
	}
	latency, err := second.Value(SchedulingLatency)
	require.NoError(t, err)
	assert.Positive(t, latency)
}
