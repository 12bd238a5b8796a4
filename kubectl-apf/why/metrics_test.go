package why

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

func metricsOf(current, upper int, demand float64) replica.Metrics {
	return replica.Metrics{
		Levels: map[string]replica.LevelMetrics{"queued": {Nominal: new(10), Current: &current, Upper: &upper, DemandSmoothed: &demand}},
		Schemas: map[replica.SchemaKey]replica.SchemaMetrics{
			{Level: "queued", FlowSchema: "users"}:   {Dispatched: new(uint64(10)), Rejected: map[string]uint64{"queue-full": 2}, Waits: new(uint64(4)), WaitSeconds: new(6.0)},
			{Level: "rejecting", FlowSchema: "jobs"}: {Dispatched: new(uint64(5))},
		},
	}
}

func TestMetricsGiveTheCurrentLimit(t *testing.T) {
	replicas := []replica.Replica{{Metrics: metricsOf(20, 100, 30)}, {Metrics: metricsOf(40, 100, 40)}, {Away: true}}
	r := inquire(Query{User: "alice", Servers: 2}, replicas, crowded()...)
	require.Len(t, r.Levels, 1)
	assert.True(t, r.Levels[0].Current)
	assert.Equal(t, new(30.0), r.Levels[0].Limit)
	assert.Equal(t, new(6000.0), r.Levels[0].Capacity)
	// The mean demand is 35 seats. With 56 of 146 shares it has ceil(38.4) of 100 seats, and the others 63 of their 90.
	assert.Equal(t, []string{"Raise nominalConcurrencyShares of priority level queued from 10 to 56. Its requests ask for 35.0 seats on average, and its limit is 30 on each server. " +
		"This gives it 39 seats, 29 more; the others lose 27 of them. PriorityLevelConfiguration/queued spec.limited.nominalConcurrencyShares: 10, 56"}, said(r))
}

func TestMetricsAloneGiveCounters(t *testing.T) {
	replicas := []replica.Replica{{Metrics: metricsOf(10, 100, 5)}, {Metrics: metricsOf(10, 100, 5)}}
	r := inquire(Query{FlowSchema: "users"}, replicas)
	assert.Equal(t, Nothing, r.Evidence)
	assert.Empty(t, r.Flows)
	assert.Equal(t, []Counters{{
		PriorityLevel: "queued", FlowSchema: "users", Dispatched: new(uint64(20)), Rejected: map[string]uint64{"queue-full": 4}, Waits: new(uint64(8)), MeanWaitSeconds: new(1.5),
	}}, r.Counters)
	assert.True(t, r.Affected(), "4 requests were rejected")
	calm := inquire(Query{}, replicas, call{user: "u", group: "users", told: told("u", 1, "executed")})
	assert.False(t, calm.Affected(), "events tell what the time since the start does not")
	jobs := inquire(Query{FlowSchema: "jobs"}, replicas)
	assert.False(t, jobs.Affected())
	assert.Len(t, inquire(Query{}, replicas).Counters, 2, "without a query all schemas are counted")
	assert.Empty(t, inquire(Query{User: "alice"}, replicas).Counters, "metrics do not tell the flows of a user")
}

func TestWhatTheServerRemembersIsUsedWithoutEvents(t *testing.T) {
	read := start().Add(time.Hour)
	replicas := []replica.Replica{{
		Read: read.Add(time.Hour), Taken: read,
		Flows: []replica.Flow{
			{Level: "queued", FlowSchema: "users", Distinguisher: "runaway", SeatSeconds15m: 8900},
			{Level: "queued", FlowSchema: "users", Distinguisher: "alice", SeatSeconds15m: 2},
		},
		Rejections: []replica.Rejection{{
			Level: "queued", FlowSchema: "users", Distinguisher: "alice", Reason: "queue-full", Count: 7,
			First: read.Add(-5 * time.Minute), Last: read, User: "somebody",
		}},
	}}
	r := inquire(Query{User: "alice"}, replicas)
	assert.Equal(t, Remembered, r.Evidence)
	require.Len(t, r.Flows, 1)
	f := r.Flows[0]
	assert.Equal(t, 7, f.Rejected)
	assert.Equal(t, map[string]int{"queue-full": 7}, f.Reasons)
	assert.Nil(t, f.Delayed, "a server remembers no waits")
	assert.Equal(t, read.Add(-5*time.Minute), *f.First)
	assert.Equal(t, []User{{"alice", 7}}, f.Users, "a flow of a schema by user is its user's")
	assert.Nil(t, f.Requests, "nor requests that it did not reject")
	assert.Equal(t, new(2.0), f.FlowSeatSeconds)
	assert.Equal(t, new(2.0), f.SeatSeconds, "a flow of a schema by user is its user's")
	// 10 seats for 15 minutes; each may have a half.
	assert.Equal(t, new(4500.0), f.FairShare)
	assert.Nil(t, r.Levels[0].Demanded, "what rejected requests would have used is unknown")
	assert.Equal(t, []time.Time{read.Add(-15 * time.Minute), read}, []time.Time{*r.Since, *r.Until}, "a file may be written later than the figures were true")
	assert.Equal(t, []string{`Isolate the flow "runaway" of flow schema users: give it its own flow schema and priority level, or make it send less. ` +
		"It used 8900 of 8902 seat-seconds of priority level queued, 2.0 times its fair share; 1 other flows shared the rest."}, said(r))
}
