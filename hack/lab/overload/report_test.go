package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAResultIsComparedWithTheBestStaticTotalUnderItsLoad(t *testing.T) {
	short := shortages()[1]
	got := func(factor float64, kind int, goodput, peak float64, seats ...float64) *result {
		return &result{short: short, factor: factor, regime: short.regimes()[kind], goodputs: map[int]float64{0: goodput}, peak: peak * mebibyte, seats: seats, outcome: outcome{Good: 1, Rejected: 3}}
	}
	text := report(settings{}, short, []*result{
		got(2, 0, 50, 100), got(2, 1, 40, 100), got(2, 2, 80, 500), got(2, 4, 45, 100, 18, 22),
		got(5, 0, 90, 100),
	})
	assert.Contains(t, text, "| 2 times | static, 32 | 40.0 | 0.80 | 75 % | 0 % |")
	assert.Contains(t, text, "500 MiB, **above the limit** |", "and so no peer")
	assert.Contains(t, text, "| 2 times | adaptive, 20 | 45.0 | 0.90 |")
	assert.Contains(t, text, "| 100 MiB | 10.0 % |")
	assert.Contains(t, text, "| 5 times | static, 16 | 90.0 | 1.00 |")
}

func TestSeatsAreAtRestThatHardlyChange(t *testing.T) {
	assert.True(t, atRest([]float64{40, 40, 42, 41}))
	assert.False(t, atRest([]float64{32, 33, 35, 36}), "they climb")
	assert.False(t, atRest([]float64{64, 60, 55, 60}), "they come and go")
	assert.False(t, atRest(nil), "nothing was read")
}
