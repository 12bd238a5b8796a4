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
