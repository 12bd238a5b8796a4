package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// oneLevel is a configuration that gives the level "a" almost all seats.
func oneLevel() engine.Configuration {
	level := queuing("a", 1000)
	level.QueueLengthLimit = 1000
	return engine.Configuration{
		Levels:  []engine.LevelConfig{level, rejecting("catch-all", 0)},
		Schemas: []rules.Schema{schemaOf("a", "a", 10)},
	}
}

func TestTheTotalChangesWhileRequestsRunAndWait(t *testing.T) {
	f := newFixture(t, 10)
	f.apply(oneLevel())
	var running []*engine.Request
	for range 10 {
		running = append(running, f.admit("a"))
	}
	waiting := make([]*engine.Request, 5)
	for i := range waiting {
		waiting[i] = f.classified("a")
		require.Equal(t, queueset.Waiting, waiting[i].Arrive(seats.Work{Initial: 1}))
	}

	f.engine.SetTotal(13)
	assert.Equal(t, 13, f.engine.Total())
	level, _ := f.level("a")
	assert.Equal(t, 13, level.Limits.Nominal)
	assert.Equal(t, 13, level.Figures.SeatsInUse, "three that waited run")

	f.engine.SetTotal(11)
	level, _ = f.level("a")
	assert.Equal(t, 13, level.Figures.SeatsInUse, "running requests keep their seats")
	for range 2 {
		running[0].Finish()
		running = running[1:]
	}
	level, _ = f.level("a")
	assert.Equal(t, 11, level.Figures.SeatsInUse)
	assert.Equal(t, 2, level.Figures.Waiting, "none starts beyond the new total")

	for _, request := range running {
		request.Finish()
	}
	for _, request := range waiting {
		require.Equal(t, queueset.Seated, request.Wait(t.Context(), nil))
		request.Finish()
	}
}

func TestTheTotalOutlivesAConfiguration(t *testing.T) {
	f := newFixture(t, 10)
	f.engine.SetTotal(20)
	f.apply(oneLevel())
	f.engine.Rebalance()
	level, _ := f.level("a")
	assert.Equal(t, 20, level.Limits.Nominal)
	assert.Equal(t, 20, f.engine.Total())
}

func TestNoTotalIsTooStrange(t *testing.T) {
	f := newFixture(t, 10)
	f.apply(oneLevel())
	for _, total := range []int{1000, 10, 1, 0, -5, 1, 100000} {
		f.engine.SetTotal(total)
		level, _ := f.level("a")
		assert.Equal(t, max(total, 0), level.Limits.Nominal)
		assert.Equal(t, max(total, 0), level.Seats.Current)
	}
	f.admit("a").Finish()
}
