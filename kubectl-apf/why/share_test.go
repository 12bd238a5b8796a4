package why

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

func TestFairShare(t *testing.T) {
	infinite := math.Inf(1)
	for _, test := range []struct {
		name     string
		capacity float64
		demands  []float64 // of the others
		want     float64
	}{
		{"a flow alone has everything", 10, nil, 10},
		{"flows that want more than there is get equal parts", 12, []float64{100, infinite, infinite}, 3},
		{"what a small flow leaves is divided by the others", 12, []float64{2, 100}, 5},
		{"if the others want little, the rest is free", 12, []float64{1, 2}, 9},
		{"idle flows take nothing", 12, []float64{0, 0}, 12},
		{"without capacity there is no share", 0, []float64{1}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.InDelta(t, test.want, fairShare(test.capacity, test.demands), 1e-9)
		})
	}
}

// The equation in the package comment defines the fair share.
func TestFairShareSolvesItsEquation(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 11))
	for range lane.Pick(200, 10_000) {
		capacity := random.Float64() * 100
		others := make([]float64, random.IntN(8))
		for i := range others {
			others[i] = random.Float64() * 50
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
