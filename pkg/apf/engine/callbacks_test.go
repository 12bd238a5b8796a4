package engine_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// user uses all of an Engine in what the Engine calls: the functions of requests.
type user struct {
	*fixture
	configuration       engine.Configuration // enforced
	held, wide, waiting *engine.Request
	using               bool
	told                map[string]int // how often each function was called and used the Engine
}

// called uses the Engine, but not without end, since that makes the Engine call in turn.
func (u *user) called(function string) {
	if u.using || u.told[function] == 2 {
		return
	}
	u.told[function]++
	u.using = true
	defer func() { u.using = false }()
	e, configuration := u.engine, u.configuration
	assert.Empty(u.t, e.Apply(configuration))
	e.Rebalance()
	total := e.Total()
	e.SetTotal(total + 1)
	e.SetTotal(total)
	e.Report()
	e.Levels()
	e.Dump()
	e.TopFlows()
	e.Rejections()
	e.FlowFigures()
	e.MaxWidth("busy")
	for _, name := range []string{"other", "busy"} {
		r := classified(e, name)
		switch r.Arrive(seats.Work{Initial: 1}) {
		case queueset.Seated:
			r.Finish()
		case queueset.Waiting:
			assert.True(u.t, r.Leave(queueset.Cancelled))
		}
		r.End()
	}
}

// newUser returns a user whose request waits in the level "busy". Another one holds the first of its
// seats, for the work; of more seats than one, a request that needs two keeps the rest free.
func newUser(t *testing.T, total int, work seats.Work) *user {
	u := &user{fixture: &fixture{t: t, clock: clock.NewFake(time.Unix(0, 0))}, told: map[string]int{}, configuration: configuration(1)}
	u.using = true
	u.engine = engine.New(engine.Options{Clock: u.clock, Total: total})
	u.apply(u.configuration)
	u.held, u.wide, u.waiting = classified(u.engine, "busy"), classified(u.engine, "busy"), classified(u.engine, "busy")
	require.Equal(t, queueset.Seated, u.held.Arrive(work))
	if total > 10 {
		require.Equal(t, queueset.Waiting, u.wide.Arrive(seats.Work{Initial: 2}))
	}
	u.waiting.Decided = func() {
		u.called("Decided")
		u.waiting.Finish()
		u.waiting.End()
	}
	require.Equal(t, queueset.Waiting, u.waiting.Arrive(seats.Work{Initial: 1}))
	u.using = false
	return u
}

// configuration gives the level "busy" a seat of ten for a share, and most for 81.
func configuration(shares int32) engine.Configuration {
	return engine.Configuration{
		Levels:  []engine.LevelConfig{queuing("busy", shares), queuing("other", 9)},
		Schemas: []rules.Schema{schemaOf("busy", "busy", 100), schemaOf("other", "other", 100)},
	}
}

func (u *user) applyShares(shares int32) {
	u.configuration = configuration(shares)
	assert.Empty(u.t, u.engine.Apply(u.configuration))
}

// without removes the first levels, with their schemas. They quiesce if they have requests.
func (u *user) without(first ...string) {
	c := configuration(1)
	c.Levels = slices.DeleteFunc(c.Levels, func(l engine.LevelConfig) bool { return slices.Contains(first, l.Name) })
	c.Schemas = slices.DeleteFunc(c.Schemas, func(s rules.Schema) bool { return slices.Contains(first, s.Name) })
	u.configuration = c
	assert.Empty(u.t, u.engine.Apply(c))
	clear(u.told)
}

// Whatever an Engine calls, it holds no lock, so that this may use the Engine in turn.
func TestWhatAnEngineCallsMayUseTheEngine(t *testing.T) {
	one := seats.Work{Initial: 1}
	for name, of := range map[string]struct {
		total    int
		work     seats.Work
		dispatch func(u *user)
	}{
		"Finish": {10, one, func(u *user) { u.held.Finish() }},
		"Leave":  {25, one, func(u *user) { assert.True(u.t, u.wide.Leave(queueset.TimeOut)) }},
		"the end of additional latency": {10, seats.Work{Initial: 1, Final: 1, Latency: time.Second}, func(u *user) {
			u.held.Finish()
			u.clock.Advance(time.Second)
		}},
		"SetTotal":            {10, one, func(u *user) { u.engine.SetTotal(100) }},
		"SetTotal, quiescing": {10, one, func(u *user) { u.without("busy"); u.engine.SetTotal(100) }},
		"Apply":               {10, one, func(u *user) { u.applyShares(81) }},
		"Apply, resuming":     {10, one, func(u *user) { u.without("busy"); u.applyShares(81) }},
		"Apply, other queues": {10, one, func(u *user) {
			u.configuration = configuration(81)
			u.configuration.Levels[0].Queues = 16
			assert.Empty(u.t, u.engine.Apply(u.configuration))
		}},
		"Rebalance": {10, one, func(u *user) {
			lent := configuration(1)
			lent.Levels[1].LendablePercent = 100
			u.configuration = lent
			assert.Empty(u.t, u.engine.Apply(lent))
			u.clock.Advance(10 * time.Second)
			u.engine.Rebalance()
		}},
		"another level has drained": {10, one, func(u *user) {
			last := classified(u.engine, "other")
			assert.Equal(u.t, queueset.Seated, last.Arrive(one))
			u.without("other")
			last.Finish()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t, of.total, of.work)
			eventually.Returns(t, "the Engine returns", func() { of.dispatch(u) })
			assert.Equal(t, 1, u.told["Decided"], "%v", u.told)
		})
	}
}

func TestWhatAdmitCallsMayUseTheEngine(t *testing.T) {
	u := newUser(t, 10, seats.Work{Initial: 1})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	var queued []bool
	eventually.Returns(t, "Admit returns", func() {
		r := classified(u.engine, "busy")
		assert.False(t, r.Admit(gone, seats.Work{Initial: 1}, func(waits bool) {
			queued = append(queued, waits)
			u.called("queued")
		}))
		r.End()
	})
	assert.Equal(t, []bool{true, false}, queued)
	assert.Equal(t, 2, u.told["queued"])
}
