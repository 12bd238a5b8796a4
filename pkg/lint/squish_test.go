package lint

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The table "Example Shuffle Sharding Configurations" of the Kubernetes concept page on API Priority and
// Fairness.
func TestSquishProbabilityIsThePublishedTable(t *testing.T) {
	for _, row := range []struct {
		hand, queues int
		squished     map[int]float64 // by number of heavy flows
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
	} {
		for heavy, want := range row.squished {
			assert.InEpsilon(t, want, squishProbability(row.queues, row.hand, heavy), 1e-12, "%d of %d queues, %d heavy flows", row.hand, row.queues, heavy)
		}
	}
}
