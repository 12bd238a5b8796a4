package queueset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/heavyhitters"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// lastMinute returns the seat-seconds of the last minute by flow.
func (f *fixture) lastMinute() map[string]float64 {
	used := map[string]float64{}
	for _, use := range f.set.HeavyFlows() {
		assert.Equal(f.t, "schema", use.Schema)
		used[use.Distinguisher] = use.Windows[heavyhitters.OneMinute].SeatSeconds
	}
	return used
}

// use sends a request of a flow that executes for a time.
func (f *fixture) use(name string, work seats.Work, executes time.Duration) {
	f.t.Helper()
	r := f.request(name, work)
	r.Flow = name
	require.Equal(f.t, queueset.Seated, f.set.Arrive(r))
	f.clock.Advance(executes)
	f.set.Finish(r)
}

func TestSeatsThatAFlowHeldAreCountedForIt(t *testing.T) {
	for _, c := range []struct {
		name   string
		config queueset.Config
	}{
		{"with queues", queues(8, 2, 10)},
		{"without queues", rejecting()},
		{"exempt", queueset.Config{Discipline: queueset.Exempt}},
	} {
		for _, limit := range []int{10, 1000} { // closed, since few seats are free, and open
			t.Run(c.name, func(t *testing.T) {
				f := newFixture(t, c.config, limit)
				assert.Empty(t, f.set.HeavyFlows())
				assert.Zero(t, f.set.HeaviestFlow())
				f.use("alice", seats.Work{Initial: 1}, 2*time.Second)
				f.use("bob", seats.Work{Initial: 10}, time.Second)
				f.use("alice", seats.Work{Initial: 1}, time.Second)
				f.use("carol", seats.Work{Initial: 2, Final: 10, Latency: 500 * time.Millisecond}, time.Second)
				// A request holds its width while it executes, and its final seats after that.
				assert.Equal(t, map[string]float64{"alice": 3, "bob": 10, "carol": 15}, f.lastMinute())
				assert.InDelta(t, 15.0/28, f.set.HeaviestFlow(), 1e-9)
			})
		}
	}
}

func TestUsageOfAllRegimesIsCounted(t *testing.T) {
	f := newFixture(t, queues(8, 2, 1000), 100)
	const requests = 1000
	var executing []*queueset.Request
	for range requests {
		r := f.request("alice", seats.Work{Initial: 1})
		r.Flow = "alice"
		f.set.Arrive(r)
		executing = append(executing, r)
	}
	for len(executing) > 0 {
		f.clock.Advance(time.Millisecond)
		for _, r := range executing[:100] { // 100 execute at a time
			f.set.Finish(r)
		}
		executing = executing[100:]
	}
	assert.InDelta(t, 1.0, f.lastMinute()["alice"], 1e-9)
}

func TestIdleLevelForgetsItsFlows(t *testing.T) {
	f := newFixture(t, queueset.Config{Discipline: queueset.Exempt}, 10)
	f.use("alice", seats.Work{Initial: 1}, time.Second)
	f.set.ResetDemand()
	assert.NotEmpty(t, f.set.HeavyFlows())
	f.clock.Advance(17 * time.Minute)
	f.set.ResetDemand()
	assert.Empty(t, f.set.HeavyFlows())
	assert.Zero(t, f.set.FlowCountersKept())
}

func TestRejectedRequestKnowsItsQueue(t *testing.T) {
	f := newFixture(t, queues(1, 1, 1), 1)
	f.arrive("a", seats.Work{Initial: 1}, queueset.Seated)
	waiting := f.arrive("a", seats.Work{Initial: 1}, queueset.Waiting)
	assert.Zero(t, f.arrive("a", seats.Work{Initial: 1}, queueset.Rejected).RejectingQueue())
	require.True(t, f.set.Leave(waiting, stats.TimeOut))
	assert.Zero(t, waiting.RejectingQueue())

	f = newFixture(t, rejecting(), 0)
	assert.Equal(t, -1, f.arrive("a", seats.Work{Initial: 1}, queueset.Rejected).RejectingQueue())
}
