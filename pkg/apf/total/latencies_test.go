package total

import (
	"math"
	"runtime/metrics"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// histogramOf returns a histogram of the buckets up to 1 ms, 10 ms, 100 ms and infinity.
func histogramOf(counts ...uint64) *metrics.Float64Histogram {
	return &metrics.Float64Histogram{Counts: counts, Buckets: []float64{0, 0.001, 0.01, 0.1, math.Inf(1)}}
}

func TestLatencyIsThe99thPercentileSinceTheLastSample(t *testing.T) {
	for _, test := range []struct {
		name          string
		before, after []uint64
		want          float64
	}{
		{"all are short", []uint64{5000, 0, 0, 0}, []uint64{6000, 0, 0, 0}, 0.001},
		{"one in a hundred is long, which the percentile excludes", []uint64{0, 0, 0, 0}, []uint64{990, 0, 10, 0}, 0.001},
		{"one in ninety is long", []uint64{0, 0, 0, 0}, []uint64{980, 0, 11, 0}, 0.1},
		{"the long ones were before", []uint64{0, 0, 9000, 0}, []uint64{0, 1000, 9000, 0}, 0.01},
		{"all are longer than the last bound", []uint64{0, 0, 0, 0}, []uint64{0, 0, 0, 1000}, 0.1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l latencies
			_, err := l.quantile(histogramOf(test.before...))
			require.ErrorIs(t, err, ErrQuiet, "there is no difference to the first sample")
			value, err := l.quantile(histogramOf(test.after...))
			require.NoError(t, err)
			assert.Equal(t, test.want, value)
		})
	}
}

func TestFewLatenciesAreNoSignal(t *testing.T) {
	var l latencies
	_, err := l.quantile(histogramOf(0, 0, 0, 0))
	require.ErrorIs(t, err, ErrQuiet)
	_, err = l.quantile(histogramOf(0, 0, 99, 0))
	require.ErrorIs(t, err, ErrQuiet)
	_, err = l.quantile(histogramOf(0, 0, 199, 0))
	require.NoError(t, err)
}

func TestHistogramThatShrinksIsNoSignal(t *testing.T) {
	var l latencies
	_, err := l.quantile(histogramOf(0, 0, 5000, 0))
	require.ErrorIs(t, err, ErrQuiet)
	_, err = l.quantile(histogramOf(10, 0, 0, 0))
	require.ErrorIs(t, err, ErrQuiet)
}

func TestRuntimeWithoutTheHistogramIsAnError(t *testing.T) {
	var l latencies
	_, err := l.quantile(nil)
	require.ErrorContains(t, err, "does not measure")
	_, err = l.quantile(&metrics.Float64Histogram{Counts: []uint64{1}})
	require.ErrorContains(t, err, "does not measure")
}

// The runtime may reuse the memory of the histogram.
func TestHistogramIsCopied(t *testing.T) {
	var l latencies
	h := histogramOf(0, 0, 0, 0)
	_, err := l.quantile(h)
	require.ErrorIs(t, err, ErrQuiet)
	h.Counts[1] = 1000
	value, err := l.quantile(h)
	require.NoError(t, err)
	assert.Equal(t, 0.01, value)
}

func TestRuntimeHasAllMetricsThatAreRead(t *testing.T) {
	reader := newRuntimeReader(metrics.Read)
	reader.read()
	for _, sample := range reader.samples {
		assert.NotEqual(t, metrics.KindBad, sample.Value.Kind(), sample.Name)
	}
	assert.NotNil(t, reader.latencies())
	own := newGoMemory(reader.bytes)
	assert.Positive(t, own.pinned)
	assert.Positive(t, own.limit)
}
