package allocation

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

func TestNominal(t *testing.T) {
	for name, c := range map[string]struct {
		total  int
		shares []Share
		want   []Limits
	}{
		"the upper limit never exceeds the total (129086)": {
			total:  100,
			shares: []Share{{Shares: 60}, {Shares: 40, BorrowingLimitPercent: new(int32(400))}},
			want:   []Limits{{Nominal: 60, Lower: 60, Upper: 100}, {Nominal: 40, Lower: 40, Upper: 100}},
		},
		"no shares at all give nothing": {
			total:  100,
			shares: []Share{{}, {}},
			want:   []Limits{{Upper: 100}, {Upper: 100}},
		},
		"a server without seats has none to give": {
			total:  0,
			shares: []Share{{Shares: 3}},
			want:   []Limits{{}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, Nominal(c.total, c.shares))
		})
	}
}

func randomShares(random *rand.Rand) []Share {
	shares := make([]Share, 1+random.IntN(12))
	for i := range shares {
		shares[i] = Share{Shares: random.Int32N(100), LendablePercent: random.Int32N(101)}
		if random.IntN(2) == 0 {
			shares[i].BorrowingLimitPercent = new(random.Int32N(500))
		}
	}
	return shares
}

func TestNominalProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 1))
	for range 5000 {
		total, shares := random.IntN(2000), randomShares(random)
		sum, weights := 0, int32(0)
		for i, l := range Nominal(total, shares) {
			sum += l.Nominal
			weights += shares[i].Shares
			require.True(t, 0 <= l.Lower && l.Lower <= l.Nominal && l.Nominal <= l.Upper && l.Upper <= total, "%+v", l)
		}
		if weights > 0 {
			require.GreaterOrEqual(t, sum, total)
			require.Less(t, sum, total+len(shares))
		}
	}
}
