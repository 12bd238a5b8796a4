package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

func TestARemovedLevelKeepsItsShareUntilItHasDrained(t *testing.T) {
	f := newFixture(t, 100)
	with := engine.Configuration{Levels: []engine.LevelConfig{queuing("a", 5)}, Schemas: []rules.Schema{schemaOf("a", "a", 10)}}
	without := engine.Configuration{}
	f.apply(with)
	late := f.classified("a")
	running := f.admit("a")

	f.apply(without)
	assert.Equal(t, "catch-all", f.classified("a").Schema().Name, "nothing new is sent to it")
	level, ok := f.level("a")
	require.True(t, ok)
	assert.True(t, level.Quiescing)
	assert.Equal(t, 50, level.Limits.Nominal)
	require.True(t, late.Admit(context.Background(), seats.Work{Initial: 1}, nil), "who was classified before is served there")
	running.Finish()
	_, ok = f.level("a")
	assert.True(t, ok)
	late.Finish()
	_, ok = f.level("a")
	assert.False(t, ok, "it has drained")
	catchAll, _ := f.level("catch-all")
	assert.Equal(t, 100, catchAll.Limits.Nominal, "the others have its share")
}

// The limit falls to one seat while thousands wait, and then the level is removed.
func TestThousandsWaitOnALevelThatLosesItsSeatsAndIsRemoved(t *testing.T) {
	f := newFixture(t, 50)
	level := queuing("a", 1000)
	level.QueueLengthLimit = 1000
	f.apply(engine.Configuration{Levels: []engine.LevelConfig{level}, Schemas: []rules.Schema{schemaOf("a", "a", 10)}})
	var executing []*engine.Request
	started := func(r *engine.Request) { executing = append(executing, r) }
	for i := range 3000 {
		r := f.engine.Begin()
		r.Attributes = flow.Attributes{
			User: "a", Groups: []string{"system:authenticated"}, Verb: "get", IsResourceRequest: true, Resource: "pods", Namespace: fmt.Sprint(i % 100),
		}
		r.Classify()
		r.Decided = func() { started(r) }
		if r.Arrive(seats.Work{Initial: 1}) == queueset.Seated {
			started(r)
		}
	}
	require.Len(t, executing, 50)
	f.engine.SetTotal(1)
	f.apply(engine.Configuration{})
	served := 0
	for len(executing) > 0 {
		served++
		f.clock.Advance(time.Millisecond)
		r := executing[0]
		executing = executing[1:]
		r.Finish()
		assert.LessOrEqual(t, len(executing), max(1, 50-served))
	}
	assert.Equal(t, 3000, served)
	_, ok := f.level("a")
	assert.False(t, ok, "it has drained")
}

func TestALevelThatComesBackWhileItQuiescesResumes(t *testing.T) {
	f := newFixture(t, 100)
	with := engine.Configuration{Levels: []engine.LevelConfig{queuing("a", 5)}, Schemas: []rules.Schema{schemaOf("a", "a", 10)}}
	f.apply(with)
	running := f.admit("a")
	f.apply(engine.Configuration{})
	f.apply(with)
	level, _ := f.level("a")
	assert.False(t, level.Quiescing)
	assert.Equal(t, 1, level.Figures.Executing, "it is the same level")
	running.Finish()
	_, ok := f.level("a")
	assert.True(t, ok, "it does not go when it is idle")
	f.admit("a").Finish()
}

func TestARequestWhoseCallbackPanicsLeavesNothing(t *testing.T) {
	for name, when := range map[string]bool{"entering the queue": true, "leaving the queue": false} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, 1)
			f.apply(engine.Configuration{Levels: []engine.LevelConfig{queuing("a", 1)}, Schemas: []rules.Schema{schemaOf("a", "a", 10)}})
			holder, waiting := f.admit("a"), f.classified("a")
			assert.PanicsWithValue(t, "broken", func() {
				waiting.Admit(t.Context(), seats.Work{Initial: 1}, func(queued bool) {
					if queued == when {
						panic("broken")
					}
					holder.Finish()
				})
			})
			if when {
				holder.Finish()
			}
			level, _ := f.level("a")
			assert.Zero(t, level.Figures.Waiting)
			assert.Zero(t, level.Figures.Executing)
			assert.Zero(t, level.Figures.SeatsInUse)
		})
	}
}

func TestAMandatorySchemaWithoutItsLevelIsSupplied(t *testing.T) {
	f := newFixture(t, 100)
	f.apply(engine.Configuration{Schemas: []rules.Schema{schemaOf(rules.CatchAll, "gone", 10)}})
	request := f.classified("anyone")
	assert.Equal(t, rules.CatchAll, request.Schema().Name)
	assert.Equal(t, rules.CatchAll, request.Level().Name)
	assert.Len(t, f.engine.Schemas(), 2)
}

func TestAnIdleLevelGoesAtOnce(t *testing.T) {
	f := newFixture(t, 100)
	f.apply(engine.Configuration{Levels: []engine.LevelConfig{queuing("a", 5)}})
	late := func() *engine.Request {
		f.apply(engine.Configuration{Levels: []engine.LevelConfig{queuing("a", 5)}, Schemas: []rules.Schema{schemaOf("a", "a", 10)}})
		return f.classified("a")
	}()
	f.apply(engine.Configuration{})
	_, ok := f.level("a")
	assert.False(t, ok)
	require.True(t, late.Admit(context.Background(), seats.Work{Initial: 1}, nil), "who comes to a level that is gone is served all the same")
	late.Finish()
}
