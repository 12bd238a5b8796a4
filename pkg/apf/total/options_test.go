package total

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBoundsOfTheTotal(t *testing.T) {
	for _, test := range []struct {
		name            string
		options         Options
		static          int
		lowest, highest int
	}{
		{"half and twice the static total", Options{}, 600, 300, 1200},
		{"half is rounded up", Options{}, 3, 2, 6},
		{"at least one seat", Options{}, 1, 1, 2},
		{"twice does not overflow", Options{}, math.MaxInt, math.MaxInt/2 + 1, math.MaxInt - 1},
		{"as configured", Options{Min: 5, Max: 700}, 600, 5, 700},
	} {
		t.Run(test.name, func(t *testing.T) {
			lowest, highest := test.options.Bounds(test.static)
			assert.Equal(t, test.lowest, lowest)
			assert.Equal(t, test.highest, highest)
		})
	}
}

func TestInvalidOptionsAreNamed(t *testing.T) {
	for _, test := range []struct {
		name    string
		options Options
		option  string
		says    string
	}{
		{"an unknown mode", Options{Mode: "auto"}, "mode", "must be one of static, monitor, adaptive"},
		{"no mode", Options{}, "mode", "must be one of static, monitor, adaptive"},
		{"a negative minimum", Options{Mode: Monitor, Min: -1}, "min", "must be at least 1"},
		{"a minimum above the static total", Options{Mode: Monitor, Min: 601}, "min", "must not be more than the static total, 600"},
		{"a negative maximum", Options{Mode: Monitor, Max: -1}, "max", "must be at least 1"},
		{"a maximum below the static total", Options{Mode: Monitor, Max: 599}, "max", "must not be less than the static total, 600"},
		{"a maximum below the minimum", Options{Mode: Monitor, Min: 500, Max: 400}, "max", "must not be less than the minimum, 500"},
	} {
		t.Run(test.name, func(t *testing.T) {
			errs := test.options.Validate(600)
			require.Len(t, errs, 1)
			assert.Equal(t, test.option, errs[0].Option)
			assert.ErrorContains(t, errs[0], test.says)
			assert.ErrorContains(t, errs[0], test.option)
		})
	}
	for _, options := range []Options{
		{Mode: Static}, {Mode: Monitor, Min: 1}, {Mode: Adaptive, Min: 600, Max: 600}, {Mode: Adaptive, Max: math.MaxInt},
	} {
		assert.Empty(t, options.Validate(600))
	}
}
