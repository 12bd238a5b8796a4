package allocation

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// minimumOf returns what a level has before the rest is shared: its lower limit, or what it wanted
// lately, which for a limited level counts up to its nominal limit.
func minimumOf(l Level) int {
	wanted := l.HighWatermark
	if !l.Exempt && wanted > l.Nominal {
		wanted = l.Nominal
	}
	return max(wanted, l.Lower)
}

func TestCurrentProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 6))
	reached := map[string]int{}
	for range 20000 {
		total, levels := randomLevels(random)
		got := Current(total, levels)
		rest, lower, minimum, upper, sum, least := 0, 0, 0, 0, 0, 0
		for i, l := range levels {
			sum += got.Current[i]
			rest += l.Nominal
			require.Equal(t, max(float64(minimumOf(l)), l.Smoothed), got.Targets[i])
			if l.Exempt {
				rest -= minimumOf(l)
				require.Equal(t, max(l.Lower, l.HighWatermark), got.Current[i])
				least += got.Current[i]
				continue
			}
			least += max(l.Lower, min(1, l.Nominal))
			lower += l.Lower
			minimum += minimumOf(l)
			upper += l.Upper
			require.GreaterOrEqual(t, got.Current[i], l.Lower)
			require.GreaterOrEqual(t, got.Current[i], min(1, l.Nominal), "level %d of %+v", i, levels)
			require.LessOrEqual(t, got.Current[i], l.Upper)
		}
		switch {
		case rest <= lower:
			reached["lower limits"]++
			require.Zero(t, got.FairFraction)
			require.Equal(t, least, sum, "every level has its least")
			continue
		case rest <= minimum:
			reached["proportional"]++
			require.Zero(t, got.FairFraction)
		case rest >= upper:
			reached["upper limits"]++
			require.LessOrEqual(t, sum, total+len(levels))
			continue
		default:
			reached["fair"]++
			requireFair(t, total, levels, bisected(float64(rest), levels, got.Targets), got.Current)
		}
		require.LessOrEqual(t, math.Abs(float64(sum-total)), float64(len(levels)), "sum %d, total %d: %+v", sum, total, levels)
	}
	for _, branch := range []string{"lower limits", "proportional", "upper limits", "fair"} {
		assert.Greater(t, reached[branch], 50, branch)
	}
}
