package allocation

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// The library rounds each limit independently. If the sum is within one seat
// per level of the total, this package returns the same seats.
func TestCurrentRoundsLikePeerWhereThatIsWithinOneSeatPerLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 8))
	compared := 0
	for range 20000 {
		total, levels := randomLevels(random)
		rest, minimum, upper, exempt := 0, 0, 0, 0
		for _, l := range levels {
			rest += l.Nominal
			if l.Exempt {
				rest -= minCurrent(l)
				exempt += minCurrent(l)
				continue
			}
			minimum += minCurrent(l)
			upper += l.Upper
		}
		if rest <= minimum || rest >= upper {
			continue
		}
		got := Current(total, levels)
		want := bisected(float64(rest), levels, got.Targets)
		sum, tie := exempt, false
		for i, l := range levels {
			if !l.Exempt {
				want[i] = max(want[i], float64(min(1, l.Nominal)))
				sum += int(math.Round(want[i]))
				tie = tie || math.Abs(want[i]-math.Floor(want[i])-0.5) < 1e-6
			}
		}
		if tie || sum > total+len(levels) {
			continue
		}
		compared++
		for i, l := range levels {
			if !l.Exempt {
				require.Equal(t, int(math.Round(want[i])), got.Current[i])
			}
		}
	}
	assert.Greater(t, compared, 1000)
}

func TestRoundingNeverExceedsOneSeatPerLevel(t *testing.T) {
	// Five levels of nominal ceil(4.1) = 5 share 25 seats on a server of 21; at
	// most 26 may be given. All halves round up.
	parts := []part{}
	for i := range 5 {
		parts = append(parts, part{level: i, seats: 5.5})
	}
	current := make([]int, 5)
	roundSeats(parts, current, 21)
	sum := 0
	for _, c := range current {
		sum += c
	}
	assert.Equal(t, 26, sum)
}

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
