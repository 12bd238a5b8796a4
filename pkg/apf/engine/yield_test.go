package engine_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// As TestRequestsThatWakeEachOtherLetOthersRunInBetween of package queueset, for WaitUnless.
func TestRequestsThatMayWithdrawLetOthersRunInBetweenToo(t *testing.T) {
	const chain = 1000
	f := newFixture(t, 10)
	level := queuing("chain", 1)
	level.Queues, level.HandSize, level.QueueLengthLimit = 1, 1, chain
	f.apply(engine.Configuration{Levels: []engine.LevelConfig{level, queuing("other", 9)}, Schemas: []rules.Schema{schemaOf("chain", "chain", 100)}})
	held := f.admit("chain")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var executed atomic.Int64
	var requests sync.WaitGroup
	for range chain {
		r := f.classified("chain")
		require.Equal(t, queueset.Waiting, r.Arrive(seats.Work{Initial: 1}))
		requests.Go(func() {
			seated, _ := r.WaitUnless(context.Background(), nil)
			assert.True(t, seated)
			executed.Add(1)
			r.Finish()
			r.End()
		})
	}
	runtime.Gosched() // all of them wait after this
	before := make(chan int64, 1)
	go func() { before <- executed.Load() }()
	held.Finish()
	assert.Less(t, <-before, int64(chain/10), "requests executed before a goroutine that was ready first")
	requests.Wait()
	assert.EqualValues(t, chain, executed.Load())
}

// Namespaces of one schema are flows, on a level of one queue too.
func TestADisplacedRequestThatMayWithdrawIsRejected(t *testing.T) {
	f := newFixture(t, 10)
	level := queuing("full", 1)
	level.Queues, level.HandSize, level.QueueLengthLimit = 1, 1, 1
	f.apply(engine.Configuration{Levels: []engine.LevelConfig{level, queuing("other", 9)}, Schemas: []rules.Schema{schemaOf("users", "full", 10)}})
	held, displaced, mouse := f.admit("users"), f.classified("users"), f.engine.Begin()
	mouse.Attributes = displaced.Attributes
	mouse.Attributes.Namespace = "another"
	mouse.Classify()
	require.Equal(t, queueset.Waiting, displaced.Arrive(seats.Work{Initial: 1}))
	require.Equal(t, queueset.Waiting, mouse.Arrive(seats.Work{Initial: 1}))
	seated, rejected := displaced.WaitUnless(t.Context(), nil)
	assert.False(t, seated)
	assert.True(t, rejected)
	held.Finish()
	seated, _ = mouse.WaitUnless(t.Context(), nil)
	assert.True(t, seated)
	mouse.Finish()
	for _, r := range []*engine.Request{held, displaced, mouse} {
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
	seated, rejected := r.WaitUnless(t.Context(), unneeded)
	assert.False(t, seated || rejected)
	assert.Equal(t, 3*time.Second, r.Waited())
	held.Finish()
	held.End()
	r.End()
}
