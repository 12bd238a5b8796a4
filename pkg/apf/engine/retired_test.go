package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// executingSeats returns the seats that requests of each level and schema hold, and
// requires that the labels are unique.
func (f *fixture) executingSeats() map[string]int {
	f.t.Helper()
	held := map[string]int{}
	for _, s := range f.engine.Report().Series {
		labels := s.Level + "/" + s.Schema
		require.NotContains(f.t, held, labels)
		held[labels] = int(s.ExecutingSeats)
	}
	return held
}

func twoLevels(level string) engine.Configuration {
	return engine.Configuration{
		Levels:  []engine.LevelConfig{queuing("a", 5), queuing("b", 5)},
		Schemas: []rules.Schema{schemaOf("s", level, 10)},
	}
}

// The gauges of a schema that moved to another level lost the requests under way.
func TestRequestsUnderWayAreCountedWhereTheyWereClassified(t *testing.T) {
	f := newFixture(t, 100)
	f.apply(twoLevels("a"))
	running := f.admit("s")
	f.apply(twoLevels("b"))
	assert.Equal(t, map[string]int{"a/s": 1}, f.executingSeats())
	moved := f.admit("s")
	assert.Equal(t, map[string]int{"a/s": 1, "b/s": 1}, f.executingSeats())
	f.apply(engine.Configuration{})
	assert.Equal(t, map[string]int{"a/s": 1, "b/s": 1}, f.executingSeats(), "the schema is deleted")
	running.Finish()
	assert.Equal(t, map[string]int{"b/s": 1}, f.executingSeats())
	moved.Finish()
	assert.Empty(t, f.executingSeats())
}

func TestASchemaThatMovesBackContinuesItsFigures(t *testing.T) {
	f := newFixture(t, 100)
	f.apply(twoLevels("a"))
	running := f.admit("s")
	f.apply(twoLevels("b"))
	f.apply(twoLevels("a"))
	f.admit("s")
	assert.Equal(t, map[string]int{"a/s": 2}, f.executingSeats())
	running.Finish()
	assert.Equal(t, map[string]int{"a/s": 1}, f.executingSeats())
}

func TestRetiredFiguresAreForgottenWhenTheyAreIdle(t *testing.T) {
	f := newFixture(t, 100)
	f.apply(twoLevels("a"))
	running, late := f.admit("s"), f.classified("s")
	f.apply(twoLevels("b"))
	for range 3 {
		f.engine.Rebalance()
		assert.Equal(t, 1, f.engine.RetiredSeries())
	}
	running.Finish()
	f.engine.Rebalance()
	require.True(t, late.Admit(context.Background(), seats.Work{Initial: 1}, nil))
	assert.Equal(t, map[string]int{"a/s": 1}, f.executingSeats(), "it was classified before and arrives after")
	f.engine.Rebalance()
	late.Finish()
	f.engine.Rebalance()
	assert.Equal(t, 1, f.engine.RetiredSeries(), "they were idle once before, but not since")
	f.engine.Rebalance()
	assert.Zero(t, f.engine.RetiredSeries())
}
