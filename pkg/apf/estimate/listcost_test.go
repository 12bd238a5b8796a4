package estimate

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

func TestListCostIsOneOfThree(t *testing.T) {
	for _, cost := range []ListCost{CostByCount, CostBySize, CostLearned} {
		assert.NoError(t, cost.Validate())
	}
	assert.EqualError(t, ListCost("bytes").Validate(), "bytes must be one of count, size, learned")
}

func TestStaleStatisticsCostTheMost(t *testing.T) {
	stale := Stored{Objects: 5, Size: 5, Stale: true}
	for _, test := range []struct {
		name          string
		estimator     Estimator
		read          Read
		maxWidth      int
		want          int
		objects, size int64
	}{
		{"by objects", ForKubernetes(33), Read{}, 0, 10, 0, 0},
		{"by objects on a narrow level", ForKubernetes(33), Read{}, 3, 3, 0, 0},
		{"by size from etcd", ForKubernetes(36), Read{Continue: "x"}, 0, 100, 1e9, 1.5e15},
		{"by size from the cache", ForKubernetes(36), Read{}, 0, 10, 1e9, 1e6},
		{"a small page", ForKubernetes(36), Read{Continue: "x", Limit: 2}, 0, 30, 2, 3e6},
		{"an object by name", ForKubernetes(36), Read{Named: true, ResourceVersion: "5", ResourceVersionMatch: "Exact"}, 0, 15, 1, 1.5e6},
	} {
		t.Run(test.name, func(t *testing.T) {
			cost := test.estimator.Read(test.read, stale, test.maxWidth)
			assert.Equal(t, seats.Work{Initial: test.want}, cost.Work)
			assert.Equal(t, test.objects, cost.Objects)
			assert.Equal(t, test.size, cost.Bytes)
		})
	}
}

func TestSeatsOfBytes(t *testing.T) {
	own := BySize()
	for _, test := range []struct {
		bytes    int64
		maxWidth int
		want     int
	}{{-1, 0, 1}, {0, 0, 1}, {100_000, 0, 1}, {100_001, 0, 2}, {9_999_999, 0, 100}, {1 << 50, 0, 100}, {1 << 50, 7, 7}} {
		assert.Equal(t, seats.Work{Initial: test.want}, own.OfBytes(test.bytes, test.maxWidth))
	}
	assert.Positive(t, own.OfBytes(math.MinInt64, 0).Initial)
}

func TestEachListCostNamesAnEstimator(t *testing.T) {
	learned := Learned{History: NewHistory()}
	assert.Equal(t, ByCount(), CostByCount.Estimator(learned))
	assert.Equal(t, BySize(), CostBySize.Estimator(learned))
	assert.Equal(t, learned.History, CostLearned.Estimator(learned).(Learned).History)
	assert.Equal(t, ByCount(), ListCost("").Estimator(learned), "the default of an adopter")
}

func TestALearnedCostIsThePriorUntilListsOfItsKindWereMeasured(t *testing.T) {
	read := Read{Continue: "x", Limit: 100, Type: StoredType{Resource: "pods"}, Kind: ListKind{Selector: LabelSelector}, Selects: true}
	stored := Stored{Objects: 4_000, Size: 1_000}
	for name, c := range map[string]struct {
		countsReads bool
		want        int
	}{"reads are counted": {true, 3}, "only what was sent is known": {false, 20}} {
		t.Run(name, func(t *testing.T) {
			own := Own().(Learned)
			own.CountsReads = c.countsReads
			assert.Equal(t, BySize().Read(read, stored, 0).Work, own.Read(read, stored, 0).Work)
			for range 3 {
				own.History.Observe(read.Type, read.Kind, Observation{Bytes: 250_000, Prior: 2_000_000}, 0)
			}
			cost := own.Read(read, stored, 0)
			assert.Equal(t, c.want, cost.Work.Initial)
			assert.EqualValues(t, 2_000_000, cost.Prior)
			assert.Equal(t, 1, own.Read(read, Stored{Unknown: true}, 0).Work.Initial, "nothing is stored here")
		})
	}
}
