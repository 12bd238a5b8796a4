package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/prioritylevel"
)

// equalParts gives each level the same number of seats, whatever its shares.
type equalParts struct{}

var _ engine.Divider = equalParts{}

func (equalParts) Nominal(total int, shares []allocation.Share) []allocation.Limits {
	limits := make([]allocation.Limits, len(shares))
	for i := range limits {
		part := total / len(shares)
		limits[i] = allocation.Limits{Nominal: part, Lower: part, Upper: part}
	}
	return limits
}

func (equalParts) Current(_ int, levels []allocation.Level) allocation.Division {
	d := allocation.Division{Current: make([]int, len(levels)), Targets: make([]float64, len(levels)), FairFraction: 0.5}
	for i := range levels {
		d.Current[i] = levels[i].Nominal
	}
	return d
}

func TestDividerDecidesTheLimits(t *testing.T) {
	f := &fixture{t: t, engine: engine.New(engine.Options{Total: 30, Divider: equalParts{}})}
	f.apply(engine.Configuration{
		Levels:  []prioritylevel.Config{rejecting("a", 1000), rejecting("catch-all", 1)},
		Schemas: []classify.Schema{schemaOf("a", "a", 10)},
	})
	for range 10 {
		f.admit("a")
	}
	f.refuse("a")
	level, ok := f.level("a")
	require.True(t, ok)
	assert.Equal(t, 10, level.Limits.Nominal)
	assert.InDelta(t, 0.5, f.engine.Report().FairFraction, 0)
}

func TestZeroOptionsMakeAnEngineWithoutSeats(t *testing.T) {
	for _, total := range []int{0, -1} {
		f := &fixture{t: t, engine: engine.New(engine.Options{Total: total})}
		assert.Zero(t, f.engine.Total())
		f.refuse("a")
	}
}

func TestTheNumberOfShardsIsStatedOrSuitsTheProcessors(t *testing.T) {
	for _, shards := range []int{1, 4} {
		assert.Equal(t, shards, engine.New(engine.Options{Shards: shards}).Shards())
	}
	assert.GreaterOrEqual(t, engine.New(engine.Options{}).Shards(), 2)
}
