package total

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTotalStartsAtTheStaticTotal(t *testing.T) {
	for _, static := range []int{1, 2, 600, 60000} {
		r := newRun(static, Options{})
		assert.Equal(t, static, r.Step(time.Second, shortSamples(), busy()).Total)
		assert.Equal(t, []Reason{Early}, r.Step(time.Second, shortSamples(), busy()).Reasons)
	}
}

func TestTotalFallsOnSignsOfTheMachineAlone(t *testing.T) {
	for _, test := range []struct {
		name    string
		samples []Sample
		want    int
		reasons []Reason
	}{
		{"goroutines wait for processors", samplesOf(0.100, 0, 0), 900, []Reason{SlowScheduling}},
		{"memory is at its limit", samplesOf(0.001, 1, 0), 900, []Reason{LowMemory}},
		{"the quota is used up", samplesOf(0.001, 0, 1), 900, []Reason{Throttled}},
		{"the cut is the largest of all signals, and named first", samplesOf(0.050, 0.90, 0.25), 940, []Reason{LowMemory, SlowScheduling, Throttled}},
		{"equal cuts are named in the order of the signals", samplesOf(0.050, 0.85, 0), 980, []Reason{SlowScheduling, LowMemory}},
		{"goroutines wait a little", samplesOf(0.075, 0, 0), 940, []Reason{SlowScheduling}},
		{"goroutines just begin to wait", samplesOf(0.050, 0, 0), 980, []Reason{SlowScheduling}},
		{"nothing is short", samplesOf(0.001, 0.5, 0.05), 1050, []Reason{Seats}},
		{"processors are almost short", samplesOf(0.049, 0.5, 0), 1000, []Reason{NearShort}},
		{"memory is almost short", samplesOf(0.001, 0.8, 0), 1000, []Reason{NearShort}},
		{"the quota is almost used up", samplesOf(0.001, 0, 0.2), 1000, []Reason{NearShort}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := newRun(1000, Options{}).step(test.samples, busy())
			assert.Equal(t, test.want, got.Total)
			assert.Equal(t, test.reasons, got.Reasons)
		})
	}
}

// Neither requests that take long nor queues are an input: what they cause is that all
// seats are in use and requests wait.
func TestSlowEtcdAndLongQueuesDoNotLowerTheTotal(t *testing.T) {
	r := newRun(600, Options{})
	for previous := 600; previous < 1200; {
		got := r.step(clearSamples(), busy())
		require.Greater(t, got.Total, previous)
		previous = got.Total
	}
}

func TestTotalRisesOnlyWhileSeatsAreShort(t *testing.T) {
	for _, test := range []struct {
		name string
		load Load
		want Reason
	}{
		{"levels with a tenth of the seats are short", Load{Use: 30, Short: 0.1}, Seats},
		{"a small level is short", Load{Use: 540, Short: 0.09}, Enough},
		{"almost all seats are in use, but enough", Load{Use: 590}, Enough},
		{"nothing is in use", Load{}, Enough},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := newRun(600, Options{}).step(clearSamples(), test.load)
			assert.Equal(t, []Reason{test.want}, got.Reasons)
			assert.Equal(t, test.want == Seats, got.Total > 600)
		})
	}
}

func TestTotalRisesByAdditionAndFallsByMultiplication(t *testing.T) {
	r := newRun(600, Options{})
	for i := range 20 {
		assert.Equal(t, 600+30*(i+1), r.step(clearSamples(), busy()).Total)
	}
	want := 1200.0
	for range 6 {
		want *= 0.9
		assert.InDelta(t, want, r.step(shortSamples(), busy()).Total, 0.51)
	}
}

func TestTotalRisesSlowlyNearWhereTheMachineWasShort(t *testing.T) {
	r := newRun(1000, Options{})
	require.Equal(t, 900, r.step(shortSamples(), busy()).Total)
	for want := 910; want <= 1110; want += 10 {
		require.Equal(t, want, r.step(clearSamples(), busy()).Total)
	}
	assert.Equal(t, 1160, r.step(clearSamples(), busy()).Total, "it is not short there any more")
}

func TestStandbyLearnsNothingFromHavingNothingToDo(t *testing.T) {
	r := newRun(600, Options{})
	for i := range 1000 {
		samples, reason := clearSamples(), Enough
		if i%2 == 0 { // other processes use the processors
			samples, reason = shortSamples(), Unused
		}
		got := r.step(samples, Load{Use: 30, Short: 0.02, Needed: 8})
		require.Equal(t, 600, got.Total)
		require.Equal(t, []Reason{reason}, got.Reasons)
	}
}

func TestTotalFallsIfSoManySeatsAreInUseThatItMatters(t *testing.T) {
	for _, test := range []struct {
		name string
		min  int
		load Load
		want Reason
	}{
		{"half of the default minimum of 300 is in use", 0, Load{Use: 150}, SlowScheduling},
		{"less is in use", 0, Load{Use: 149}, Unused},
		{"less is in use, but a level is short", 0, Load{Use: 149, Short: 0.2}, SlowScheduling},
		{"the minimum is low", 20, Load{Use: 10}, SlowScheduling},
		{"the use is not a number", 0, Load{Use: math.NaN()}, Unused},
		{"the use is infinite", 0, Load{Use: math.Inf(1)}, Unused},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := newRun(600, Options{Min: test.min}).step(shortSamples(), test.load)
			assert.Equal(t, []Reason{test.want}, got.Reasons)
			assert.Equal(t, test.want != Unused, got.Total < 600)
		})
	}
}

func TestIdleHoursMoveTheTotalByOneStepAtMost(t *testing.T) {
	r := newRun(600, Options{})
	require.Equal(t, 630, r.step(clearSamples(), busy()).Total)
	for range 6 * 60 * 8 {
		require.Equal(t, 630, r.step(clearSamples(), Load{}).Total)
	}
	assert.Equal(t, 567, r.step(shortSamples(), busy()).Total)
}

func TestSingleStallDoesNotMoveTheTotal(t *testing.T) {
	for spoilt := range 5 {
		r := newRun(600, Options{})
		samples := samplesOf(0.001, 0.5, 0)
		for i := range spoilt {
			samples[i] = sampleOf(10, 1, 1)
		}
		assert.LessOrEqual(t, 600, r.step(samples, busy()).Total, "%d of 10 samples", spoilt)
	}
	r := newRun(600, Options{})
	samples := samplesOf(0.001, 0.5, 0)[:3]
	samples[0], samples[1] = sampleOf(10, 1, 1), sampleOf(10, 1, 1)
	assert.Equal(t, 540, r.step(samples, busy()).Total, "a stall that leaves three samples is one step")
}

func TestJumpsOfTheClockMoveTheTotalByOneStepAtMost(t *testing.T) {
	r := newRun(600, Options{})
	r.now += 1000 * time.Hour
	assert.Equal(t, 540, r.step(shortSamples(), busy()).Total, "forward")
	assert.False(t, r.Due(r.now+Period-1))
	r.now -= 500 * time.Hour
	assert.True(t, r.Due(r.now))
	assert.Equal(t, 540, r.Step(r.now, shortSamples(), busy()).Total, "back")
	assert.False(t, r.Due(r.now+Period-1))
	assert.Equal(t, 486, r.step(shortSamples(), busy()).Total, "a Period after the jump")
	for range 100 {
		assert.Equal(t, 486, r.Step(r.now, shortSamples(), busy()).Total, "a clock that stands still")
	}
}

func TestUnknownSignalsKeepTheTotal(t *testing.T) {
	missing := func(signals ...Signal) []Sample {
		samples := clearSamples()
		for i := range samples {
			for _, signal := range signals {
				samples[i][signal] = Reading{Err: errors.New("missing")}
			}
		}
		return samples
	}
	for _, test := range []struct {
		name    string
		samples []Sample
		want    []Reason
	}{
		{"no samples", nil, []Reason{Unknown}},
		{"two samples", clearSamples()[:2], []Reason{Unknown}},
		{"no signal is known", missing(SchedulingLatency, Memory, Throttling), []Reason{Unknown}},
		{"the scheduling latency is unknown", missing(SchedulingLatency), []Reason{Unknown}},
		{"the scheduling latency is not a number", samplesOf(math.NaN(), 0, 0), []Reason{Unknown}},
		{"the scheduling latency is negative", samplesOf(-1, 0, 0), []Reason{Unknown}},
		{"the scheduling latency is absurd", samplesOf(1e300, 0, 0), []Reason{Unknown}},
		{"memory and throttling are unknown, as without limits", missing(Memory, Throttling), []Reason{Seats}},
		{"all but the memory is unknown, and that is short", samplesOf(math.NaN(), 0.99, math.NaN()), []Reason{LowMemory}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRun(600, Options{})
			before := r.step(shortSamples(), busy()).Total
			got := r.step(test.samples, busy())
			assert.Equal(t, test.want, got.Reasons)
			if test.want[0] == Unknown {
				assert.Equal(t, before, got.Total)
				assert.True(t, math.IsNaN(got.Pressure[SchedulingLatency]))
			}
		})
	}
}

// strange returns a random value, often one that should not occur.
func strange(random *rand.Rand) float64 {
	values := []float64{0, 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 0.02, 0.9}
	if i := random.IntN(2 * len(values)); i < len(values) {
		return values[i]
	}
	return random.Float64() * 0.1
}
