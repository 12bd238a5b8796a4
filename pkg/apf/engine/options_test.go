package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

func TestZeroOptionsMakeAnEngineWithoutSeats(t *testing.T) {
	for _, total := range []int{0, -1} {
		f := &fixture{t: t, engine: engine.New(engine.Options{Total: total})}
		assert.Zero(t, f.engine.Total())
		f.reject("a")
	}
}

func TestTheNumberOfShardsIsStatedOrSuitsTheProcessors(t *testing.T) {
	for _, shards := range []int{1, 4} {
		assert.Equal(t, shards, engine.New(engine.Options{Shards: shards}).Shards())
	}
	assert.GreaterOrEqual(t, engine.New(engine.Options{}).Shards(), 2)
}
