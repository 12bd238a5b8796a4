package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/heavyhitters"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/rejections"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

func TestHeavyFlowsOfEachLevelAreNamed(t *testing.T) {
	f := newFixture(t, 100)
	byUser := schemaOf("alice", "rejecting", 1)
	byUser.Distinguisher = rules.ByUser
	f.apply(engine.Configuration{
		Levels:  []engine.LevelConfig{queuing("queuing", 50), rejecting("rejecting", 50)},
		Schemas: []rules.Schema{byUser, schemaOf("bob", "queuing", 1)},
	})
	for _, r := range []*engine.Request{f.classified("alice"), f.classified("bob"), f.classified("root", "system:masters")} {
		require.True(t, r.Admit(t.Context(), seats.Work{Initial: 2}, nil))
		f.clock.Advance(time.Second)
		assert.Equal(t, time.Second, r.Finish())
		r.End()
	}
	used := func(schema, distinguisher string) []engine.FlowUse {
		all := heavyhitters.Usage{SeatSeconds: 2}
		return []engine.FlowUse{{Use: heavyhitters.Use{
			Flow:    heavyhitters.Flow{Schema: schema, Distinguisher: distinguisher},
			Windows: [heavyhitters.WindowCount]heavyhitters.Usage{all, all, all},
		}}}
	}
	assert.Equal(t, []engine.LevelFlows{
		{Level: "catch-all"},
		{Level: "exempt", Flows: used("exempt", "")},
		{Level: "queuing", Flows: used("bob", "default")},
		{Level: "rejecting", Flows: used("alice", "alice")}, // even if no queue is chosen by it
	}, f.engine.TopFlows())
	for _, figures := range f.engine.FlowFigures() {
		want := 1.0
		if figures.Level == "catch-all" {
			want = 0
		}
		assert.InDelta(t, want, figures.HeaviestShare, 0, figures.Level)
	}
}

func TestRejectionsAreRemembered(t *testing.T) {
	f := newFixture(t, 1)
	full := queuing("queuing", 1)
	full.Queues, full.HandSize, full.QueueLengthLimit = 1, 1, 1
	f.apply(engine.Configuration{
		Levels:  []engine.LevelConfig{full, rejecting("rejecting", 0)},
		Schemas: []rules.Schema{schemaOf("alice", "rejecting", 1), schemaOf("bob", "queuing", 1)},
	})
	holder := f.admit("bob")
	f.clock.Advance(time.Second)
	f.reject("alice") // no seat
	f.reject("alice")
	waiting := f.classified("bob")
	waiting.Attributes.Path = "/api/v1/pods"
	waiting.Arrive(seats.Work{Initial: 1})
	f.reject("bob") // the queue is full
	f.clock.Advance(time.Second)
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	require.Equal(t, queueset.Rejected, waiting.Wait(ctx, nil))
	assert.Equal(t, time.Second, waiting.Waited())
	holder.Finish()
	holder.End()
	waiting.Arrive(seats.Work{Initial: 1})
	assert.Zero(t, waiting.Waited(), "for its second arrival it does not wait")
	waiting.Finish()
	waiting.Unseated = true
	waiting.End()
	assert.False(t, waiting.Unseated, "or the next request from the pool would be")

	record := func(user string, reason stats.Reason, count uint64, at time.Duration, path string, queue int) rejections.Record {
		return rejections.Record{
			Schema: user, Distinguisher: "default", Reason: reason, Count: count, First: at, Last: at,
			User: user, Verb: "get", Path: path, Queue: queue, Seats: 1,
		}
	}
	assert.Equal(t, []engine.LevelRejections{
		{Level: "catch-all"},
		{Level: "exempt"},
		{Level: "queuing", Records: []rejections.Record{
			record("bob", stats.TimeOut, 1, 2*time.Second, "/api/v1/pods", 0),
			record("bob", stats.QueueFull, 1, time.Second, "", 0),
		}},
		{Level: "rejecting", Records: []rejections.Record{record("alice", stats.ConcurrencyLimit, 2, time.Second, "", -1)}},
	}, f.engine.Rejections())

	rejected := func() (flows []int) {
		for _, figures := range f.engine.FlowFigures() {
			flows = append(flows, figures.RejectedFlows)
		}
		return flows
	}
	assert.Equal(t, []int{0, 0, 1, 1}, rejected())
	f.clock.Advance(engine.RecentRejections + time.Second)
	assert.Equal(t, []int{0, 0, 0, 0}, rejected())
}
