package allocation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// 101 levels share 199 seats on a server of 100. Two levels want all of the
// seats, and the others keep one each.
func TestWhatIdleLevelsKeepIsGivenUpByThoseThatHaveMost(t *testing.T) {
	levels := []Level{}
	for range 2 {
		levels = append(levels, Level{Limits: Limits{50, 50, 100}, HighWatermark: 50, Smoothed: 50})
	}
	for range 99 {
		levels = append(levels, Level{Limits: Limits{1, 0, 100}})
	}
	current := Current(100, levels).Current
	for _, c := range current[2:] {
		require.Equal(t, 1, c)
	}
	assert.Equal(t, []int{51, 51}, current[:2], "100 seats and one for each of 101 levels, less 99")
}
