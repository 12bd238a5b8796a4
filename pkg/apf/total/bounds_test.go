//go:build !race

package total

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTotalStaysWithinItsBounds(t *testing.T) {
	for _, test := range []struct {
		name            string
		options         Options
		lowest, highest int
	}{
		{"by default half and twice the static total", Options{}, 51, 202},
		{"a minimum", Options{Min: 70}, 70, 202},
		{"a maximum", Options{Max: 150}, 51, 150},
		{"both are the static total", Options{Min: 101, Max: 101}, 101, 101},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRun(101, test.options)
			var got Recommendation
			for range 60 {
				got = r.step(shortSamples(), busy())
			}
			assert.Equal(t, test.lowest, got.Total)
			assert.Equal(t, []Reason{SlowScheduling, Minimum}, got.Reasons)
			for range 300 {
				got = r.step(clearSamples(), busy())
			}
			assert.Equal(t, test.highest, got.Total)
			assert.Equal(t, []Reason{Seats, Maximum}, got.Reasons)
		})
	}
}

func TestTotalIsNotLoweredBelowWhatExemptAndMandatoryLevelsNeed(t *testing.T) {
	r := newRun(600, Options{})
	load := busy()
	load.Needed = 500
	var got Recommendation
	for range 10 {
		got = r.step(shortSamples(), load)
	}
	assert.Equal(t, 500, got.Total)
	assert.Equal(t, []Reason{SlowScheduling, Needed}, got.Reasons)
	load.Needed = 1_000_000
	assert.Equal(t, 500, r.step(shortSamples(), load).Total, "the need does not raise it either")
	load.Needed = 0
	assert.Equal(t, 450, r.step(shortSamples(), load).Total)
}

func TestNoInputMovesTheTotalByMoreThanTenPercentOrOutOfItsBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		static := 1 + random.IntN(2000)
		options := Options{Min: random.IntN(static + 1), Max: static + random.IntN(2*static)}
		r := newRun(static, options)
		lowest, highest := options.Bounds(static)
		previous, moved := static, time.Duration(0)
		for range 200 {
			elapsed := time.Duration(random.Int64N(int64(20*time.Second))) - 3*time.Second
			r.now += elapsed
			if elapsed < 0 {
				moved = 0 // how much time has passed since then is unknown
			}
			samples := make([]Sample, random.IntN(12))
			for i := range samples {
				samples[i] = sampleOf(strange(random), strange(random), strange(random))
			}
			got := r.Step(r.now, samples, Load{Use: strange(random), Short: strange(random), Needed: random.IntN(3*static) - static})
			require.GreaterOrEqual(t, got.Total, lowest)
			require.LessOrEqual(t, got.Total, highest)
			change := math.Abs(float64(got.Total - previous))
			require.LessOrEqual(t, change, 0.1*(float64(previous)+0.5)+1, "both are rounded to seats")
			require.NotEmpty(t, got.Reasons)
			if change > 0 {
				require.True(t, moved == 0 || r.now-moved >= Period, "%v after %v", r.now, moved)
				moved = r.now
			}
			previous = got.Total
		}
	}
}

func TestSmallestTotalsMoveToo(t *testing.T) {
	r := newRun(1, Options{})
	for range 40 {
		r.step(clearSamples(), busy())
	}
	assert.Equal(t, 2, r.step(clearSamples(), busy()).Total)
	for range 40 {
		r.step(shortSamples(), busy())
	}
	assert.Equal(t, 1, r.step(shortSamples(), busy()).Total)
}

func TestTotalRisesByTenPercentAtMostWhereTheMinimumIsLow(t *testing.T) {
	r := newRun(1000, Options{Min: 10})
	for range 60 {
		r.step(shortSamples(), busy())
	}
	previous := r.step(clearSamples(), busy()).Total
	require.Equal(t, 10, previous, "slowly at first: 2 %")
	for range 60 {
		next := r.step(clearSamples(), busy()).Total
		require.LessOrEqual(t, float64(next), 1.1*float64(previous)+1)
		previous = next
	}
	assert.Greater(t, previous, 300)
}
