package flow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// published is the table "Example Shuffle Sharding Configurations" of the
// Kubernetes concept page on API Priority and Fairness.
var published = []struct {
	handSize, queues int
	squished         map[int]float64 // by number of elephants
}{
	{12, 32, map[int]float64{1: 4.428838398950118e-09, 4: 0.11431348830099144, 16: 0.9935089607656024}},
	{10, 32, map[int]float64{1: 1.550093439632541e-08, 4: 0.0626479840223545, 16: 0.9753101519027554}},
	{10, 64, map[int]float64{1: 6.601827268370426e-12, 4: 0.00045571320990370776, 16: 0.49999929150089345}},
	{9, 64, map[int]float64{1: 3.6310049976037345e-11, 4: 0.00045501212304112273, 16: 0.4282314876454858}},
	{8, 64, map[int]float64{1: 2.25929199850899e-10, 4: 0.0004886697053040446, 16: 0.35935114681123076}},
	{8, 128, map[int]float64{1: 6.994461389026097e-13, 4: 3.4055790161620863e-06, 16: 0.02746173137155063}},
	{7, 128, map[int]float64{1: 1.0579122850901972e-11, 4: 6.960839379258192e-06, 16: 0.02406157386340147}},
	{7, 256, map[int]float64{1: 7.597695465552631e-14, 4: 6.728547142019406e-08, 16: 0.0006709661542533682}},
	{6, 256, map[int]float64{1: 2.7134626662687968e-12, 4: 2.9516464018476436e-07, 16: 0.0008895654642000348}},
	{6, 512, map[int]float64{1: 4.116062922897309e-14, 4: 4.982983350480894e-09, 16: 2.26025764343413e-05}},
	{6, 1024, map[int]float64{1: 6.337324016514285e-16, 4: 8.09060164312957e-11, 16: 4.517408062903668e-07}},
}

// significant formats x with 15 digits, which a float64 always represents.
func significant(x float64) string { return strconv.FormatFloat(x, 'e', 14, 64) }

func TestSquishProbabilityIsThePublishedTable(t *testing.T) {
	for _, row := range published {
		for elephants, want := range row.squished {
			t.Run(fmt.Sprintf("%d of %d queues, %d elephants", row.handSize, row.queues, elephants), func(t *testing.T) {
				got := SquishProbability(row.queues, row.handSize, elephants)
				// This package's result is exact. The page's digits beyond the 15th are the
				// rounding error of a floating-point sum.
				assert.Equal(t, significant(want), significant(got))
				assert.LessOrEqual(t, math.Abs(got-want), 6*ulp(want))
				if elephants == 1 {
					assert.Equal(t, want, got)
				}
				assert.InEpsilon(t, approximately(row.queues, row.handSize, elephants), got, 1e-14)
			})
		}
	}
}

func ulp(x float64) float64 { return math.Nextafter(x, 2) - x }

// approximately computes the probability in floating point and by another
// method: it follows the number of queues that the elephants cover.
func approximately(queues, handSize, elephants int) float64 {
	choose := func(n, k int) float64 {
		x, _ := binomial(n, k).Float64()
		return x
	}
	covered := make([]float64, queues+1)
	covered[0] = 1
	for range elephants {
		next := make([]float64, queues+1)
		for u, p := range covered {
			for k := 0; k <= handSize && u+k <= queues; k++ {
				next[u+k] += p * choose(queues-u, k) * choose(u, handSize-k) / choose(queues, handSize)
			}
		}
		covered = next
	}
	squished := 0.0
	for u, p := range covered {
		squished += p * choose(u, handSize) / choose(queues, handSize)
	}
	return squished
}

func TestSimulationOfTheDealerAgrees(t *testing.T) {
	simulated := 0
	for _, row := range published {
		dealer, err := NewDealer(row.queues, row.handSize)
		require.NoError(t, err)
		for elephants, p := range row.squished {
			if p < 1e-4 {
				continue // too rare to occur in the simulation
			}
			simulated++
			// Each case has a separate seed, because the order of the map is random.
			random := rand.New(rand.NewPCG(uint64(row.queues), uint64(elephants)))
			const mice = 50000
			squished := 0
			for range mice {
				if squish(dealer, random, elephants) {
					squished++
				}
			}
			deviation := math.Sqrt(p * (1 - p) / mice)
			assert.InDelta(t, p, float64(squished)/mice, 4.5*deviation, "%d of %d queues, %d elephants", row.handSize, row.queues, elephants)
		}
	}
	assert.Equal(t, 14, simulated)
}

// squish deals hands to elephants and to one mouse. It reports whether the
// elephants cover all of the mouse's queues.
func squish(dealer Dealer, random *rand.Rand, elephants int) bool {
	var room [MaxHand]int
	covered := make([]bool, dealer.DeckSize())
	for range elephants {
		for _, queue := range dealer.Deal(Hash(random.Uint64()), room[:0]) {
			covered[queue] = true
		}
	}
	for _, queue := range dealer.Deal(Hash(random.Uint64()), room[:0]) {
		if !covered[queue] {
			return false
		}
	}
	return true
}
