package engine_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/prioritylevel"
)

func TestTheLargestLevelThatIsValidServes(t *testing.T) {
	largest := queuing("largest", math.MaxInt32)
	largest.Queues, largest.HandSize, largest.QueueLengthLimit = 10_000_000, 1, math.MaxInt32
	largest.BorrowingLimitPercent = new(int32(math.MaxInt32))
	f := newFixture(t, 600)
	f.apply(engine.Configuration{
		Total: 600, Levels: []prioritylevel.Config{largest, queuing("a", math.MaxInt32)},
		Schemas: []classify.Schema{schemaOf("largest", "largest", 10)},
	})
	f.admit("largest").Finish()
	level, _ := f.level("largest")
	assert.Equal(t, 300, level.Limits.Nominal)
	assert.Equal(t, 600, level.Limits.Upper)
}
