package allocation

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCurrent(t *testing.T) {
	for name, c := range map[string]struct {
		total    int
		levels   []Level
		current  []int
		targets  []float64
		fraction float64
	}{
		"what one level lends goes to the one that wants it": {
			total: 100,
			levels: []Level{
				{Limits: Limits{50, 10, 100}},
				{Limits: Limits{50, 50, 100}, HighWatermark: 200, Smoothed: 200},
			},
			// f·10 + f·200 = 100 would give the first less than its lower limit.
			current: []int{10, 90}, targets: []float64{10, 200}, fraction: 0.45,
		},
		"lent seats return as soon as they are wanted": {
			total: 100,
			levels: []Level{
				{Limits: Limits{50, 10, 100}, HighWatermark: 50, Smoothed: 12},
				{Limits: Limits{50, 50, 100}, HighWatermark: 400, Smoothed: 400},
			},
			current: []int{50, 50}, targets: []float64{50, 400},
		},
		"an exempt level is taken off the top, without bound by its nominal limit (124125, 124736)": {
			total: 100,
			levels: []Level{
				{Limits: Limits{10, 10, 100}, Exempt: true, HighWatermark: 40, Smoothed: 20},
				{Limits: Limits{45, 0, 100}, HighWatermark: 30, Smoothed: 30},
				{Limits: Limits{45, 0, 100}, HighWatermark: 10, Smoothed: 10},
			},
			current: []int{40, 45, 15}, targets: []float64{40, 30, 10}, fraction: 1.5,
		},
		"an idle exempt level lends what it may": {
			total: 100,
			levels: []Level{
				{Limits: Limits{20, 5, 100}, Exempt: true},
				{Limits: Limits{80, 80, 100}},
			},
			current: []int{5, 95}, targets: []float64{5, 80}, fraction: 95.0 / 80,
		},
		"the target of an exempt level is its own, not the first limited one's (141496)": {
			total: 100,
			levels: []Level{
				{Limits: Limits{100, 100, 100}, HighWatermark: 77, Smoothed: 77},
				{Limits: Limits{0, 0, 100}, Exempt: true, HighWatermark: 3, Smoothed: 2},
			},
			current: []int{100, 3}, targets: []float64{100, 3},
		},
		"an exempt level may leave the others their lower limits only": {
			total: 100,
			levels: []Level{
				{Limits: Limits{0, 0, 100}, Exempt: true, HighWatermark: 95},
				{Limits: Limits{50, 20, 100}, HighWatermark: 50},
				{Limits: Limits{50, 10, 100}, HighWatermark: 50},
			},
			current: []int{95, 20, 10}, targets: []float64{95, 50, 50},
		},
		"between lower limits and minima what remains is shared in proportion": {
			total: 100,
			levels: []Level{
				{Limits: Limits{0, 0, 100}, Exempt: true, HighWatermark: 45},
				{Limits: Limits{50, 20, 100}, HighWatermark: 50},
				{Limits: Limits{50, 10, 100}, HighWatermark: 30},
			},
			// 55 seats; the lower limits are 30; the rest is 25 of the 50 missing.
			current: []int{45, 35, 20}, targets: []float64{45, 50, 30},
		},
		"where all are at their upper limits, seats stay unused": {
			total: 100,
			levels: []Level{
				{Limits: Limits{40, 0, 100}, Exempt: true},
				{Limits: Limits{30, 30, 30}, HighWatermark: 60, Smoothed: 60},
				{Limits: Limits{30, 30, 45}, HighWatermark: 60, Smoothed: 60},
			},
			current: []int{0, 30, 45}, targets: []float64{0, 60, 60}, fraction: 100.0 / 120,
		},
		"levels without any demand share equally what nobody wants": {
			total: 90,
			levels: []Level{
				{Limits: Limits{60, 0, 90}},
				{Limits: Limits{30, 0, 90}},
			},
			current: []int{45, 45}, targets: []float64{0, 0}, fraction: 45000,
		},
		"a level that all its seats are borrowed from keeps one (134196)": {
			total: 100,
			levels: []Level{
				{Limits: Limits{40, 0, 100}},
				{Limits: Limits{0, 0, 100}},
				{Limits: Limits{60, 60, 100}, HighWatermark: 500, Smoothed: 500},
			},
			current: []int{1, 0, 100}, targets: []float64{0, 0, 500}, fraction: 100 / 500.002,
		},
		"also when others need more than their lower limits": {
			total: 100,
			levels: []Level{
				{Limits: Limits{0, 0, 100}, Exempt: true, HighWatermark: 40},
				{Limits: Limits{40, 0, 100}},
				{Limits: Limits{60, 40, 100}, HighWatermark: 500, Smoothed: 500},
			},
			// 60 seats; a lower limit is 40; the rest is 20 of the 20 missing.
			current: []int{40, 1, 60}, targets: []float64{40, 0, 500},
		},
		"also when an exempt level leaves no more than the lower limits": {
			total: 100,
			levels: []Level{
				{Limits: Limits{0, 0, 100}, Exempt: true, HighWatermark: 10},
				{Limits: Limits{10, 0, 100}, HighWatermark: 10},
				{Limits: Limits{90, 90, 100}},
				{Limits: Limits{0, 0, 100}, HighWatermark: 10},
			},
			current: []int{10, 1, 90, 0}, targets: []float64{10, 10, 90, 0},
		},
		"also when an exempt level uses more than the server has": {
			total: 4,
			levels: []Level{
				{Limits: Limits{0, 0, 4}, Exempt: true, HighWatermark: 50},
				{Limits: Limits{3, 0, 4}, HighWatermark: 3},
				{Limits: Limits{1, 1, 4}},
			},
			current: []int{50, 1, 1}, targets: []float64{50, 3, 1},
		},
		"no levels, nothing to do": {total: 10, current: []int{}, targets: []float64{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Current(c.total, c.levels)
			assert.Equal(t, c.current, got.Current)
			assert.Equal(t, c.targets, got.Targets)
			assert.InDelta(t, c.fraction, got.FairFraction, 1e-9*(1+c.fraction))
		})
	}
}

func randomLevels(random *rand.Rand) (int, []Level) {
	total, shares := 1+random.IntN(2000), randomShares(random)
	levels := make([]Level, len(shares))
	for i, limits := range Nominal(total, shares) {
		levels[i] = Level{Limits: limits, Exempt: i == 0 && random.IntN(2) == 0}
		if random.IntN(3) > 0 {
			levels[i].HighWatermark = random.IntN(1 + 2*limits.Nominal)
			levels[i].Smoothed = 1.5 * float64(levels[i].HighWatermark) * random.Float64()
		}
	}
	return total, levels
}

// bisected computes by bisection over f what clamp(f·target) gives each limited
// level, in fractions of a seat. It is an independent reference.
func bisected(rest float64, levels []Level, targets []float64) []float64 {
	seats := make([]float64, len(levels))
	at := func(f float64) float64 {
		sum := 0.0
		for i, l := range levels {
			if !l.Exempt {
				seats[i] = min(max(f*max(minTarget, targets[i]), float64(minCurrent(l))), float64(l.Upper))
				sum += seats[i]
			}
		}
		return sum
	}
	low, high := 0.0, 1e7
	for range 200 {
		if middle := (low + high) / 2; at(middle) < rest {
			low = middle
		} else {
			high = middle
		}
	}
	at(high)
	return seats
}

// requireFair requires that every limited level has its expected number of
// whole seats, rounded as by the library. If the rounded sum exceeds the total, some levels give up
// more than a seat.
func requireFair(t *testing.T, total int, levels []Level, want []float64, got []int) {
	t.Helper()
	rounded := 0
	for i, l := range levels {
		if l.Exempt {
			rounded += got[i]
			continue
		}
		rounded += max(min(1, l.Nominal), int(math.Round(want[i])))
	}
	for i, l := range levels {
		if l.Exempt {
			continue
		}
		require.GreaterOrEqual(t, got[i], minimumOf(l))
		require.LessOrEqual(t, float64(got[i]), want[i]+1, "level %d of %+v", i, levels)
		if rounded <= total+len(levels) {
			margin := 0.0
			if _, part := math.Modf(want[i]); math.Abs(part-0.5) < 1e-6 {
				margin = 1 // errors of the sums decide
			}
			require.InDelta(t, max(min(1, l.Nominal), int(math.Round(want[i]))), got[i], margin, "level %d of %+v", i, levels)
		}
	}
}
