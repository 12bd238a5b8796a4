package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// recorder records what it is told.
type recorder struct {
	told     []string
	division engine.Division // the last one
}

var _ engine.Observer = (*recorder)(nil)

func (r *recorder) LevelChanged(level engine.LevelConfig, change engine.LevelChange) {
	r.told = append(r.told, fmt.Sprintf("%s %s", level.Name, change))
}

func (r *recorder) Divided(d engine.Division) {
	r.division = d
	text := fmt.Sprintf("divided %d:", d.Total)
	for i := range d.Levels {
		one := &d.Levels[i]
		text += fmt.Sprintf(" %s %d/%d", one.Config.Name, one.Seats.Current, one.Claim.Nominal)
	}
	r.told = append(r.told, text)
}

func (r *recorder) Applied(schemas []*rules.Schema, dangling []rules.Schema) {
	text := "applied:"
	for i := range schemas {
		text += " " + schemas[i].Name
	}
	for i := range dangling {
		text += " -" + dangling[i].Name
	}
	r.told = append(r.told, text)
}

// since returns what was told since the last call.
func (r *recorder) since() []string {
	told := r.told
	r.told = nil
	return told
}

func TestObserverIsToldWhatChanges(t *testing.T) {
	r := &recorder{}
	e := engine.New(engine.Options{Clock: clock.NewFake(time.Unix(0, 0)), Total: 10, Observer: r})
	f := &fixture{t: t, engine: e}
	assert.Equal(t, []string{
		"exempt supplied", "catch-all supplied",
		"catch-all added", "exempt added", "divided 10: catch-all 10/10 exempt 0/0", "applied: exempt catch-all",
	}, r.since(), "New")

	with := engine.Configuration{
		Levels:  []engine.LevelConfig{queuing("a", 5), rejecting("catch-all", 5)},
		Schemas: []rules.Schema{schemaOf("a", "a", 10), schemaOf("lost", "nowhere", 20)},
	}
	f.apply(with)
	assert.Equal(t, []string{
		"exempt supplied",
		"a added", "catch-all retained", "exempt retained",
		"divided 10: a 5/5 catch-all 5/5 exempt 0/0", "applied: exempt a catch-all -lost",
	}, r.since())

	e.SetTotal(20)
	assert.Equal(t, []string{"divided 20: a 10/10 catch-all 10/10 exempt 0/0"}, r.since())
	e.Rebalance()
	assert.Equal(t, []string{"divided 20: a 10/10 catch-all 10/10 exempt 0/0"}, r.since())
	e.SetTotal(20)
	assert.Empty(t, r.since(), "the total did not change")

	running := f.admit("a")
	f.apply(engine.Configuration{})
	assert.Contains(t, r.since(), "a quiescing")
	f.apply(engine.Configuration{})
	assert.NotContains(t, r.since(), "a quiescing", "it did before")
	with.Levels[0].Queues = 16
	f.apply(with)
	assert.Contains(t, r.since(), "a resumed")
	with.Levels[0].Queues = 32
	f.apply(with)
	assert.Contains(t, r.since(), "a reconfigured")

	f.apply(engine.Configuration{})
	r.since()
	running.Finish()
	assert.Equal(t, []string{"a removed", "divided 20: catch-all 20/20 exempt 0/0"}, r.since(), "it has drained")
	f.apply(with)
	r.since()
	f.apply(engine.Configuration{})
	told := r.since()
	require.Len(t, told, 8)
	assert.Equal(t, []string{"a removed", "divided 20: catch-all 20/20 exempt 0/0", "applied: exempt catch-all"}, told[5:], "it had no requests")
}
