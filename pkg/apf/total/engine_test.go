package total

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/periodic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// smallMachine executes 40 requests at once. For each further one, goroutines wait 1 ms
// longer for a processor. It is also the clients of an engine.
type smallMachine struct {
	engine    *engine.Engine
	executing atomic.Int64
	finished  atomic.Int64
}

func (m *smallMachine) Sample() Sample {
	return Sample{SchedulingLatency: {Value: float64(max(0, m.executing.Load()-40)) / 1000}}
}

// load runs a number of clients for d. Each sends one request after the other.
func (m *smallMachine) load(clients int, d time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	var running sync.WaitGroup
	for range clients {
		running.Go(func() {
			for ctx.Err() == nil {
				m.send(ctx)
			}
		})
	}
	running.Wait()
}

// service is how long a request executes. It differs from the time between two samples, which would
// only see requests at their start and end.
const service = 870 * time.Millisecond

// send sends a request.
func (m *smallMachine) send(ctx context.Context) {
	r := m.engine.Begin()
	defer r.End()
	r.Attributes.User, r.Attributes.Verb, r.Attributes.IsResourceRequest, r.Attributes.Resource = "queue", "get", true, "pods"
	r.Classify()
	if !r.Admit(ctx, seats.Work{Initial: 1}, nil) {
		return
	}
	m.executing.Add(1)
	<-time.After(service)
	m.executing.Add(-1)
	m.finished.Add(1)
	r.Finish()
}

// An adaptive engine starts with 200 seats, in virtual time.
func TestTotalOfAnEngineUnderOverloadComesToRestWhereTheMachineIsNotShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &smallMachine{engine: engine.New(engine.Options{Total: 200})}
		level := engine.LevelConfig{
			Name:   "queue",
			Config: queueset.Config{Discipline: queueset.Queue, Queues: 8, HandSize: 2, QueueLengthLimit: 1000},
			Share:  allocation.Share{Shares: 100},
		}
		require.Empty(t, m.engine.Apply(engine.Configuration{Levels: []engine.LevelConfig{level}, Schemas: []rules.Schema{schemaOf("queue")}}))
		r, err := New(Config{
			Engine: m.engine, Sampler: m, Options: Options{Mode: Adaptive, Min: 10},
			Clock: utilclock.RealClock{}, Logger: logr.Discard(),
		})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		running.Go(func() { r.Run(ctx) })
		running.Go(func() { periodic.Run(ctx, utilclock.RealClock{}, allocation.Period, m.engine.Rebalance) })
		m.load(30, time.Minute)
		assert.Equal(t, 200, m.engine.Total(), "nobody waits, and the machine is not short")
		m.load(400, 5*time.Minute)
		rest := m.engine.Total()
		assert.LessOrEqual(t, rest, (40+50)*105/100, "the machine is short from 90 requests on; catch-all has 5 of 105 shares")
		assert.Greater(t, rest, 40, "and does all it can")
		before := m.finished.Load()
		for range 10 {
			m.load(400, time.Minute)
			assert.InDelta(t, rest, m.engine.Total(), 0.05*float64(rest))
		}
		used := float64(m.finished.Load()-before) * service.Minutes() / 10
		assert.InDelta(t, rest, used, 0.1*float64(rest), "all its seats are used")
	})
}
