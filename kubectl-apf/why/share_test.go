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
