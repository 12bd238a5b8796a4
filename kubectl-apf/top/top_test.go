package top

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

var now = time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)

// metered returns a replica that tells its metrics: in each level 7 of 10 seats.
func metered(name string, read time.Time, rejected uint64) replica.Replica {
	return replica.Replica{Name: name, Read: read, Taken: read, Metrics: replica.Metrics{
		Levels: map[string]replica.LevelMetrics{
			"system": {Nominal: new(8), Lower: new(5), Upper: new(20), Current: new(10), SeatsInUse: new(7)},
			"exempt": {Nominal: new(0), Current: new(0), SeatsInUse: new(1)},
		},
		Schemas: map[replica.SchemaKey]replica.SchemaMetrics{
			{Level: "system", FlowSchema: "nodes"}:  {Executing: new(3), Waiting: new(2), Rejected: map[string]uint64{"queue-full": rejected}},
			{Level: "system", FlowSchema: "system"}: {Executing: new(4), Waiting: new(0), Rejected: map[string]uint64{"time-out": 1}},
			{Level: "exempt", FlowSchema: "exempt"}: {Executing: new(1), Waiting: new(0)},
		},
	}}
}

// dumped returns a replica whose metrics may not be read.
func dumped(name string) replica.Replica {
	return replica.Replica{
		Name: name, Read: now, Taken: now,
		Levels: []replica.Level{{Name: "system", Executing: 2, Waiting: 1, Rejected: 5, TimedOut: 2, Cancelled: 1}, {Name: "exempt"}},
		Requests: []replica.Request{
			{Level: "system", FlowSchema: "nodes", Distinguisher: "n1", Arrived: now.Add(-3 * time.Second), Started: now.Add(-time.Second), InitialSeats: new(4), Queue: 2, Place: -1, User: "n1", Verb: "list", Path: "/api/v1/pods"},
			{Level: "system", FlowSchema: "nodes", Distinguisher: "n1", Arrived: now.Add(-2 * time.Second), Started: now.Add(-2 * time.Second), InitialSeats: new(1), Queue: 3, Place: -1, User: "n1"},
			{Level: "system", FlowSchema: "nodes", Distinguisher: "n2", Arrived: now.Add(-1500 * time.Millisecond), InitialSeats: new(1), Queue: 2, Place: 0, User: "n2"},
		},
		Missing: []replica.Missing{{What: "/metrics", Why: "This needs the right \"get\" on the nonResourceURL \"/metrics\"."}},
	}
}

func levels(t *testing.T, now, before []replica.Replica, options Options) Levels {
	t.Helper()
	answer, err := OfLevels(now, before, options)
	require.NoError(t, err)
	return answer
}

func TestFiguresOfALevelAreTheSumOfTheReplicas(t *testing.T) {
	answer := levels(t, []replica.Replica{metered("a", now, 0), metered("b", now, 3)}, nil, Options{})
	require.Len(t, answer.Levels, 2)
	system := answer.Levels[0]
	assert.Equal(t, "system", system.Name)
	assert.Equal(t, []int{14, 20, 16, 10, 40}, []int{*system.SeatsInUse, *system.CurrentLimit, *system.NominalLimit, *system.LowerLimit, *system.UpperLimit})
	assert.Equal(t, []int{14, 4, 2}, []int{*system.Executing, *system.Waiting, system.Replicas})
	assert.Equal(t, uint64(5), *system.Rejected)
	assert.Nil(t, system.RejectedPerSecond, "one reading has no rate")
	assert.Nil(t, system.OldestWaitSeconds, "the requests are unknown")
	assert.Equal(t, []int{16, 20, 2}, []int{*answer.Total.SeatsInUse, *answer.Total.CurrentLimit, answer.Total.Replicas})
}

func TestReplicaWithoutMetricsTellsByItsDumps(t *testing.T) {
	answer := levels(t, []replica.Replica{dumped("a")}, nil, Options{Sort: "name"})
	exempt, system := answer.Levels[0], answer.Levels[1]
	assert.Equal(t, []int{5, 2, 1}, []int{*system.SeatsInUse, *system.Executing, *system.Waiting})
	assert.Equal(t, 1.5, *system.OldestWaitSeconds)
	assert.Equal(t, uint64(8), *system.Rejected)
	assert.Nil(t, system.CurrentLimit, "no dump has limits")
	assert.Zero(t, *exempt.SeatsInUse)

	blind := dumped("a")
	blind.Requests, blind.Missing = nil, append(blind.Missing, replica.Missing{What: string(replica.EndpointRequests), Why: "Forbidden."})
	assert.Nil(t, levels(t, []replica.Replica{blind}, nil, Options{}).Levels[0].SeatsInUse, "neither metrics nor requests are known")

	waiting := dumped("a")
	waiting.Requests = nil
	system = levels(t, []replica.Replica{waiting}, nil, Options{Sort: "name"}).Levels[1]
	assert.Nil(t, system.SeatsInUse, "two requests execute, and the dump of requests has none of them")
}

func TestDumpsTellWhatAPartOfTheMetricsDoesNot(t *testing.T) {
	part := dumped("a")
	part.Missing = nil
	part.Add(replica.EndpointMetrics, strings.NewReader(`apiserver_flowcontrol_rejected_requests_total{flow_schema="nodes",priority_level="system",reason="queue-full"} 49`+"\n"))
	answer := levels(t, []replica.Replica{part}, nil, Options{Sort: "name"})
	require.Len(t, answer.Levels, 2, "the dump tells the other level")
	system := answer.Levels[1]
	assert.Equal(t, []int{5, 2, 1, 49}, []int{*system.SeatsInUse, *system.Executing, *system.Waiting, int(*system.Rejected)})
	assert.Nil(t, system.NominalLimit, "neither tells limits")
	part.Metrics.Levels["system"] = replica.LevelMetrics{Nominal: new(8)}
	assert.Nil(t, levels(t, []replica.Replica{part}, nil, Options{}).Total.NominalLimit, "the sum of some levels is none of all")

	part.Levels, part.Requests = nil, nil
	system = levels(t, []replica.Replica{part}, nil, Options{}).Levels[0]
	assert.Nil(t, system.Waiting, "nothing tells who waits")
}

func TestRejectedPerSecond(t *testing.T) {
	earlier := now.Add(-4 * time.Second)
	for _, test := range []struct {
		name        string
		now, before []replica.Replica
		want        *float64
	}{
		{"one reading has no rate", []replica.Replica{metered("a", now, 8)}, nil, nil},
		{"the increase divided by the time", []replica.Replica{metered("a", now, 8)}, []replica.Replica{metered("a", earlier, 2)}, new(1.5)},
		{"rates of replicas are added up", []replica.Replica{metered("a", now, 8), metered("b", now, 2)},
			[]replica.Replica{metered("b", earlier, 0), metered("a", earlier, 2)}, new(2.0)},
		{"a replica that is new has no rate", []replica.Replica{metered("a", now, 8), metered("b", now, 2)},
			[]replica.Replica{metered("a", earlier, 2)}, new(1.5)},
		{"a server that was restarted counts from 0", []replica.Replica{metered("a", now, 3)}, []replica.Replica{metered("a", earlier, 100)}, new(1.0)},
		{"two readings at one time have no rate", []replica.Replica{metered("a", now, 8)}, []replica.Replica{metered("a", now, 2)}, nil},
		{"metrics are not compared with dumps", []replica.Replica{dumped("a")}, []replica.Replica{metered("a", earlier, 2)}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer := levels(t, test.now, test.before, Options{Sort: "rejected"})
			assert.Equal(t, test.want, answer.Levels[0].RejectedPerSecond)
			assert.Equal(t, test.want, answer.Total.RejectedPerSecond)
		})
	}
}

func TestReplicaThatIsAwayIsSaid(t *testing.T) {
	away := replica.Replica{Name: "https://10.0.0.3:6443", Away: true, Missing: []replica.Missing{{What: "server", Why: "It cannot be reached."}}}
	answer := levels(t, []replica.Replica{metered("a", now, 0), away}, nil, Options{})
	assert.Equal(t, 1, answer.Total.Replicas)
	var out bytes.Buffer
	require.NoError(t, answer.WriteTable(&out, table.Options{}))
	assert.Contains(t, out.String(), "Note: https://10.0.0.3:6443: server: It cannot be reached.\n")
	text, err := json.Marshal(answer)
	require.NoError(t, err)
	assert.Contains(t, string(text), `{"name":"https://10.0.0.3:6443","readAt":"0001-01-01T00:00:00Z","away":true,"missing":[{"what":"server","why":"It cannot be reached."}]}`)
}

func TestOrderAndLimitOfLevels(t *testing.T) {
	replicas := []replica.Replica{{Name: "a", Read: now, Metrics: replica.Metrics{
		Levels: map[string]replica.LevelMetrics{"a": {Current: new(100), SeatsInUse: new(5)}, "b": {Current: new(5), SeatsInUse: new(4)}, "c": {Current: new(0), SeatsInUse: new(9)}},
		Schemas: map[replica.SchemaKey]replica.SchemaMetrics{
			{Level: "a"}: {Waiting: new(1)}, {Level: "b"}: {Rejected: map[string]uint64{"time-out": 1}},
		},
	}}}
	for key, want := range map[string]string{"": "cab", "seats": "cab", "use": "bac", "limit": "abc", "waiting": "abc", "rejected": "bac", "oldest": "abc", "name": "abc"} {
		names := ""
		for _, level := range levels(t, replicas, nil, Options{Sort: key}).Levels {
			names += level.Name
		}
		assert.Equal(t, want, names, "sorted by %q", key)
	}
	limited := levels(t, replicas, nil, Options{Limit: 1})
	assert.Len(t, limited.Levels, 1)
	assert.Equal(t, 2, limited.Omitted)
	assert.Equal(t, 18, *limited.Total.SeatsInUse, "the total includes omitted levels")

	_, err := OfLevels(replicas, nil, Options{Sort: "size"})
	require.EqualError(t, err, `the sort key "size" must be one of seats, use, limit, waiting, oldest, rejected, name`)
	_, err = OfLevels(replicas, nil, Options{Limit: -1})
	require.EqualError(t, err, "the limit -1 must not be negative")
}

func TestTables(t *testing.T) {
	replicas := []replica.Replica{metered("a", now, 0)}
	replicas[0].Requests = dumped("a").Requests
	var out bytes.Buffer
	require.NoError(t, levels(t, replicas, nil, Options{}).WriteTable(&out, table.Options{}))
	assert.Equal(t, ""+
		"LEVEL   SEATS  LIMIT  NOMINAL  WAITING  OLDEST  REJECTED/S\n"+
		"system      7     10        8        2    1.5s           -\n"+
		"exempt      1      0        0        0       -           -\n"+
		"TOTAL       8     10        8        2    1.5s           -\n", out.String())

	out.Reset()
	flows, err := OfFlows(replicas, Options{Limit: 1})
	require.NoError(t, err)
	require.NoError(t, flows.WriteTable(&out, table.Options{}))
	assert.Equal(t, ""+
		"FLOWSCHEMA  FLOW  SEAT-SECONDS  SEATS  WAITING  OLDEST  LEVEL\n"+
		"nodes       n1               -      5        0       -  system\n"+
		"TOTAL                        -      5        1    1.5s\n"+
		"1 more flows\n", out.String())

	out.Reset()
	requests, err := OfRequests(replicas, Options{})
	require.NoError(t, err)
	require.NoError(t, requests.WriteTable(&out, table.Options{}))
	assert.Equal(t, ""+
		" AGE  STATE      SEATS  USER  VERB  PATH          FLOWSCHEMA  LEVEL\n"+
		"3.0s  executing      4  n1    list  /api/v1/pods  nodes       system\n"+
		"2.0s  executing      1  n1                        nodes       system\n"+
		"1.5s  waiting        1  n2                        nodes       system\n", out.String())
}

// many returns a replica with 10,000 flows of one request each; their names have 253 characters.
func many() replica.Replica {
	r := replica.Replica{Name: "a", Read: now}
	for i := range 10_000 {
		r.Requests = append(r.Requests, replica.Request{
			Level: strings.Repeat("l", 253), FlowSchema: strings.Repeat("s", 253), Distinguisher: fmt.Sprintf("u%0252d", i),
			Arrived: now, Started: now, InitialSeats: new(1), User: "u", Path: "/" + strings.Repeat("p", 1000),
		})
	}
	return r
}

func TestTenThousandFlowsWithLongNamesFitANarrowTerminal(t *testing.T) {
	answer, err := OfFlows([]replica.Replica{many()}, Options{})
	require.NoError(t, err)
	require.Len(t, answer.Flows, 10_000)
	assert.Equal(t, 10_000, *answer.Total.SeatsInUse)
	var out bytes.Buffer
	require.NoError(t, answer.WriteTable(&out, table.Options{Width: 60}))
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 60)
	}
	out.Reset()
	require.NoError(t, answer.WriteTable(&out, table.Options{Width: 60, Wide: true}))
	assert.Contains(t, out.String(), fmt.Sprintf("u%0252d ", 9_999))
}

func TestJSONHasNullForWhatIsUnknown(t *testing.T) {
	text, err := json.Marshal(levels(t, []replica.Replica{{Name: "a", Read: now, Levels: []replica.Level{{Name: "system"}}, Missing: []replica.Missing{
		{What: string(replica.EndpointRequests), Why: "Forbidden."}}}}, nil, Options{}))
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"levels": [{"name": "system", "seatsInUse": null, "currentLimit": null, "nominalLimit": null, "lowerLimit": null, "upperLimit": null,
			"executing": 0, "waiting": 0, "oldestWaitSeconds": null, "rejected": 0, "rejectedPerSecond": null, "replicas": 1}],
		"total": {"seatsInUse": null, "currentLimit": null, "nominalLimit": null, "lowerLimit": null, "upperLimit": null,
			"executing": 0, "waiting": 0, "oldestWaitSeconds": null, "rejected": 0, "rejectedPerSecond": null, "replicas": 1},
		"replicas": [{"name": "a", "readAt": "2026-05-06T07:08:09Z", "missing": [
			{"what": "/debug/api_priority_and_fairness/dump_requests", "why": "Forbidden."}]}]
	}`, string(text))
}

func TestQueuesAloneTellSeatsAndRequests(t *testing.T) {
	queued := replica.Replica{Name: "a", Read: now, Queues: []replica.Queue{
		{Level: "system", Index: 0, Waiting: 2, Executing: 3, SeatsUsed: 4}, {Level: "system", Index: 1, Executing: 1, SeatsUsed: 1}, {Level: "low", Index: 0},
	}}
	assert.Empty(t, WhyNothing([]replica.Replica{queued}, replica.EndpointMetrics, replica.EndpointQueues))
	answer := levels(t, []replica.Replica{queued}, nil, Options{})
	require.Len(t, answer.Levels, 2)
	assert.Equal(t, []int{5, 4, 2}, []int{*answer.Levels[0].SeatsInUse, *answer.Levels[0].Executing, *answer.Levels[0].Waiting})
	assert.Equal(t, []int{0, 0, 0}, []int{*answer.Levels[1].SeatsInUse, *answer.Levels[1].Executing, *answer.Levels[1].Waiting})
	assert.Contains(t, answer.partial, "Only queues are known: levels without queues are missing.")
	both := metered("a", now, 0) // the other figures come first
	both.Queues = []replica.Queue{{Level: "system", Executing: 99, Waiting: 99}}
	assert.Equal(t, 7, *levels(t, []replica.Replica{both}, nil, Options{}).Levels[0].Executing)
}

func TestSumsAndServersThatDifferAreExplained(t *testing.T) {
	server := func(used, upper int) replica.Replica {
		r := metered("a", now, 0)
		r.Metrics.Levels["low"] = replica.LevelMetrics{Nominal: new(2), Current: new(2), Upper: new(upper), SeatsInUse: new(used)}
		return r
	}
	answer := levels(t, []replica.Replica{server(2, 12), server(0, 12)}, nil, Options{})
	said := strings.Join(answer.partial, "\n")
	assert.Contains(t, said, "up to 1 more than an API server has")
	assert.Contains(t, said, "in seats in use of the limit: low 2 of 2, 0 of 2.")
	assert.Contains(t, strings.Join(answer.wide, "\n"), "UPPER of low is more than there is")
	even := levels(t, []replica.Replica{server(2, 5), server(2, 5)}, nil, Options{})
	assert.NotContains(t, strings.Join(even.partial, "\n"), "uneven")
	var wide, narrow bytes.Buffer
	require.NoError(t, answer.WriteTable(&wide, table.Options{Wide: true}))
	require.NoError(t, answer.WriteTable(&narrow, table.Options{}))
	assert.Contains(t, wide.String(), "Note: UPPER of low")
	assert.NotContains(t, narrow.String(), "UPPER")
}
