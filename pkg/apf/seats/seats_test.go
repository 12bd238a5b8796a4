package seats_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

func TestAreaOf(t *testing.T) {
	for name, c := range map[string]struct {
		seats    int
		d        time.Duration
		expected seats.Area
	}{
		"nothing for no seats":               {0, time.Hour, 0},
		"nothing for no time":                {7, 0, 0},
		"seats times nanoseconds":            {3, 3 * time.Millisecond, 9e6},
		"a correction may be negative":       {2, -time.Second, -2e9},
		"seats may be given back":            {-2, time.Second, -2e9},
		"both negative":                      {-2, -time.Second, 2e9},
		"too much stops at the largest":      {math.MaxInt32, math.MaxInt64, seats.MaxArea},
		"too little stops at the smallest":   {-math.MaxInt32, math.MaxInt64, -seats.MaxArea},
		"the smallest number has a positive": {1, math.MinInt64, -seats.MaxArea},
	} {
		assert.Equal(t, c.expected, seats.AreaOf(c.seats, c.d), name)
	}
	assert.Equal(t, "1.500000000ss", seats.AreaOf(3, time.Second/2).String())
}

func TestAdvanceIsExactOrTheMost(t *testing.T) {
	for _, d := range []time.Duration{0, 1, 999, time.Second, 100 * 365 * 24 * time.Hour, math.MaxInt64} {
		for _, n := range []int{1, 7, 600, math.MaxInt32, 1 << 48} {
			for _, queues := range []int{1, 3, 10000, 1 << 40} {
				exact := new(big.Int).Mul(big.NewInt(int64(d)), big.NewInt(int64(n)))
				exact.Div(exact, big.NewInt(int64(queues)))
				expected := seats.MaxArea
				if exact.Cmp(big.NewInt(int64(seats.MaxArea))) < 0 {
					expected = seats.Area(exact.Int64())
				}
				assert.Equal(t, expected, seats.Advance(d, n, queues), "%v, %d seats, %d queues", d, n, queues)
			}
		}
	}
	assert.Zero(t, seats.Advance(-1, 1, 1))
	assert.Zero(t, seats.Advance(1, -1, 1))
	assert.Zero(t, seats.Advance(1, 1, 0))
}

func TestReadingsCompareWithinTheRange(t *testing.T) {
	assert.Less(t, seats.AreaOf(600, 22*24*time.Hour), seats.MaxArea)
	var p seats.Progress
	for n := 1; n <= 7; n++ {
		assert.True(t, p.Before(p.Add(seats.Area(n)*seats.MaxArea)), "%d times the largest area", n)
	}
}

func TestProgressComparesAcrossItsEnd(t *testing.T) {
	for _, p := range []seats.Progress{0, 1, 1<<63 - 1, 1 << 63, math.MaxUint64} {
		for _, a := range []seats.Area{1, 1000, seats.MaxArea} {
			later := p.Add(a)
			assert.True(t, p.Before(later))
			assert.False(t, later.Before(p))
			assert.Equal(t, a, later.Sub(p))
			assert.Equal(t, -a, p.Sub(later))
			assert.Equal(t, p, later.Add(-a))
		}
		assert.False(t, p.Before(p))
	}
}

func TestWork(t *testing.T) {
	for name, c := range map[string]struct {
		given, normal seats.Work
		width         int
	}{
		"a request has a seat":                {seats.Work{}, seats.Work{Initial: 1}, 1},
		"a negative number counts as none":    {seats.Work{Initial: -4, Final: -4, Latency: time.Second}, seats.Work{Initial: 1}, 1},
		"final seats need a latency":          {seats.Work{Initial: 2, Final: 5}, seats.Work{Initial: 2}, 2},
		"a latency needs final seats":         {seats.Work{Initial: 2, Latency: 5}, seats.Work{Initial: 2}, 2},
		"a negative latency is none":          {seats.Work{Initial: 2, Final: 3, Latency: -5}, seats.Work{Initial: 2}, 2},
		"the wider phase counts":              {seats.Work{Initial: 2, Final: 3, Latency: 5}, seats.Work{Initial: 2, Final: 3, Latency: 5}, 3},
		"more seats than fit are as many fit": {seats.Work{Initial: math.MaxInt}, seats.Work{Initial: math.MaxInt32}, math.MaxInt32},
	} {
		assert.Equal(t, c.normal, c.given.Normal(), name)
		assert.Equal(t, c.width, c.given.Normal().Width(), name)
	}
}

func TestClampFinalKeepsTheWork(t *testing.T) {
	for limit := 1; limit <= 50; limit++ {
		w := seats.Work{Initial: 1, Final: 40, Latency: 5 * time.Millisecond}
		clamped := w.ClampFinal(limit)
		assert.LessOrEqual(t, clamped.Final, limit)
		assert.InDelta(t, int64(w.FinalArea()), int64(clamped.FinalArea()), float64(limit), "rounded up to whole nanoseconds")
		assert.GreaterOrEqual(t, clamped.FinalArea(), w.FinalArea())
	}
	w := seats.Work{Initial: 1, Final: 40, Latency: 5 * time.Millisecond}
	assert.Equal(t, w, w.ClampFinal(0))
	assert.Equal(t, w, w.ClampFinal(40))
}
