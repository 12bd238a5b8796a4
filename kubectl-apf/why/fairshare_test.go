package why

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// The equation in the package comment defines the fair share.
func TestFairShareSolvesItsEquation(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 11))
	for range lane.Pick(200, 10_000) {
		capacity := float64(random.IntN(2)) * random.Float64() * 100
		others := make([]float64, random.IntN(8))
		for i := range others {
			others[i] = []float64{random.Float64() * 50, 0, math.Inf(1)}[random.IntN(3)]
		}
		share := fairShare(capacity, others)
		sum := share
		for _, demand := range others {
			sum += min(demand, share)
		}
		assert.InDelta(t, capacity, sum, 1e-6)
		assert.GreaterOrEqual(t, share+1e-9, capacity/float64(1+len(others)))
	}
}

// The mean use of the requests that executed, or of the level's, is what a rejected one would have used.
func TestDemand(t *testing.T) {
	rejected := map[string]int{"queue-full": 3}
	for _, test := range []struct {
		usage usage
		mean  float64
		want  float64
	}{
		{usage{within: 1, used: amount{2, 2}}, 9, 2},
		{usage{within: 1, used: amount{2, 2}, rejected: rejected}, 9, 8},
		{usage{used: amount{2, 2}, rejected: rejected}, 9, 29},
		{usage{used: amount{2, 2}, rejected: rejected}, 0, math.Inf(1)},
	} {
		assert.Equal(t, amount{test.want, test.want}, test.usage.demand(amount{test.mean, test.mean}))
	}
}
