package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Namespaces of one schema are flows, on a level of one queue too.
func TestADisplacedRequestIsRejected(t *testing.T) {
	f := newFixture(t, 10)
	level := queuing("full", 1)
	level.Queues, level.HandSize, level.QueueLengthLimit = 1, 1, 2
	f.apply(engine.Configuration{Levels: []engine.LevelConfig{level, queuing("other", 9)}, Schemas: []rules.Schema{schemaOf("users", "full", 10)}})
	held, first, displaced, mouse := f.admit("users"), f.classified("users"), f.classified("users"), f.engine.Begin()
	mouse.Attributes = displaced.Attributes
	mouse.Attributes.Namespace = "another"
	mouse.Classify()
	require.Equal(t, queueset.Waiting, first.Arrive(seats.Work{Initial: 1}))
	require.Equal(t, queueset.Waiting, displaced.Arrive(seats.Work{Initial: 1}))
	require.Equal(t, queueset.Waiting, mouse.Arrive(seats.Work{Initial: 1}))
	assert.Equal(t, queueset.Rejected, displaced.Wait(t.Context(), nil))
	for _, r := range []*engine.Request{first, mouse} {
		assert.True(t, r.Leave(queueset.Cancelled))
	}
	held.Finish()
	for _, r := range []*engine.Request{held, first, displaced, mouse} {
		r.End()
	}
}

func TestAWithdrawnRequestHasWaited(t *testing.T) {
	f := newFixture(t, 10)
	level := queuing("full", 1)
	f.apply(engine.Configuration{Levels: []engine.LevelConfig{level, queuing("other", 9)}, Schemas: []rules.Schema{schemaOf("users", "full", 10)}})
	held, r := f.admit("users"), f.classified("users")
	require.Equal(t, queueset.Waiting, r.Arrive(seats.Work{Initial: 1}))
	f.clock.Advance(3 * time.Second)
	unneeded := make(chan struct{})
	close(unneeded)
	assert.Equal(t, queueset.Unneeded, r.Wait(t.Context(), unneeded))
	assert.Equal(t, 3*time.Second, r.Waited())
	held.Finish()
	held.End()
	r.End()
}
