package why

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// crowded has 100 s of runaway, who uses all 10 seats of the level, and alice: one of her requests
// is rejected, and two wait. The later one is logged first.
func crowded() []call {
	return append(steady("runaway", 10, 100),
		call{user: "alice", group: "users", at: 20 * time.Second, took: 15 * time.Second, wait: 15 * time.Second, code: 429, told: told("alice", 1, "time-out")},
		call{user: "alice", group: "users", at: 60 * time.Second, took: 4 * time.Second, wait: 3 * time.Second, told: told("alice", 1, "executed")},
		call{user: "alice", group: "users", at: 40 * time.Second, took: 1500 * time.Millisecond, wait: 500 * time.Millisecond, told: told("alice", 1, "executed")},
	)
}

func TestEventsWithoutAnnotationsAreInferred(t *testing.T) {
	for _, test := range []struct {
		name   string
		call   call
		want   map[string]int
		schema string
		delay  int
	}{
		{"a quick 429 of a level with queues met full queues", call{user: "u", group: "users", took: time.Millisecond, code: 429}, map[string]int{"queue-full": 1}, "users", 0},
		{"a slow one waited too long", call{user: "u", group: "users", took: 15 * time.Second, code: 429}, map[string]int{"time-out": 1}, "users", 0},
		{"a quick one that waited too", call{user: "u", group: "users", took: 400 * time.Millisecond, wait: 300 * time.Millisecond, code: 429}, map[string]int{"time-out": 1}, "users", 0},
		{"one of a level without queues met the limit", call{user: "u", group: "jobs", took: 15 * time.Second, code: 429}, map[string]int{"concurrency-limit": 1}, "jobs", 0},
		{"a wait is told by the annotation of the latency", call{user: "u", group: "users", took: 2 * time.Second, wait: time.Second}, map[string]int{}, "users", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := inquire(Query{User: "u"}, nil, test.call)
			assert.Equal(t, Inferred, r.Evidence)
			require.Len(t, r.Flows, 1)
			f := r.Flows[0]
			assert.False(t, f.Exact)
			assert.Equal(t, test.want, f.Reasons)
			assert.Equal(t, test.schema, f.FlowSchema)
			assert.Equal(t, "u", f.Distinguisher)
			assert.Equal(t, &test.delay, f.Delayed)
			assert.Contains(t, r.Notes[0], "1 of 1 events have no annotations of flowcontrol-apiserver")
		})
	}
}

// kube-apiserver 1.33 leaves out the latencies of many events (kubernetes#135684).
func TestWaitsThatNoEventTellsAreUnknown(t *testing.T) {
	slow := call{user: "u", group: "users", took: 3 * time.Second}
	fast := call{user: "u", group: "users", took: 100 * time.Millisecond}
	waited := call{user: "u", group: "users", took: 3 * time.Second, wait: time.Second}
	watch := call{user: "u", group: "users", verb: "watch", took: time.Hour}
	for _, test := range []struct {
		name    string
		calls   []call
		delayed *int
		unknown int
		says    string
	}{
		{"slow requests", []call{slow, slow}, nil, 2, "0 were rejected and whether others waited is unknown."},
		{"a slow and a fast one", []call{slow, fast}, nil, 1, "whether others waited is unknown."},
		{"one that waited and a slow one", []call{waited, slow}, new(1), 1, "at least 1 waited."},
		{"fast ones", []call{fast, fast}, new(0), 0, "0 were rejected and 0 waited."},
		{"watches", []call{watch}, nil, 0, "whether others waited is unknown."},
		{"a watch beside a fast one", []call{watch, fast}, new(0), 0, "0 waited."},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := inquire(Query{User: "u"}, nil, test.calls...)
			require.Len(t, r.Flows, 1)
			assert.Equal(t, test.delayed, r.Flows[0].Delayed)
			assert.Equal(t, test.delayed == nil, r.Flows[0].LongestWaitSeconds == nil)
			assert.Equal(t, test.unknown, r.Flows[0].WaitsUnknown)
			assert.Contains(t, r.summary(), test.says)
			assert.Equal(t, test.delayed == nil, r.flowTable().Rows[0][4] == table.Dash)
		})
	}
}

func TestQuerySelects(t *testing.T) {
	calls := append(crowded(), call{user: "bob", group: "jobs", took: time.Second}, call{user: "root", group: "system:masters"},
		call{user: "slow", group: "users", took: 2 * time.Second, wait: 2 * time.Second, told: told("slow", 1, "executed")})
	for _, test := range []struct {
		name  string
		query Query
		want  []string
	}{
		{"everything, what was rejected most and waited most first, but for exempt requests", Query{}, []string{"alice", "slow", "runaway", "bob"}},
		{"a user", Query{User: "bob"}, []string{"bob"}},
		{"a flow schema", Query{FlowSchema: "users"}, []string{"alice", "slow", "runaway"}},
		{"a user of a flow schema", Query{User: "alice", FlowSchema: "users"}, []string{"alice"}},
		{"nobody", Query{User: "nobody"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, f := range inquire(test.query, nil, calls...).Flows {
				got = append(got, f.Distinguisher)
			}
			assert.Equal(t, test.want, got)
		})
	}
}

func TestOtherResponsesAreNotRejections(t *testing.T) {
	i := New(Query{}, site(), nil, start())
	for _, said := range []string{"a", "b", "c", "d", "e", "f", "a"} {
		other := call{user: "u", group: "users", code: 429}.event()
		other.Rejected, other.Said = "", said
		i.Observe(other)
	}
	implied, unfinished := call{user: "v", group: "users"}.event(), call{user: "v", group: "users"}.event()
	implied.GroupsImplied, unfinished.Completed, unfinished.Latency = true, time.Time{}, nil
	exact := call{user: "w", group: "users", told: told("w", 1, "executed")}.event()
	exact.GroupsImplied = true // they do not decide
	for _, one := range []*logs.Request{implied, unfinished, exact} {
		i.Observe(one)
	}
	r := i.Result()
	assert.False(t, r.Affected())
	assert.Equal(t, []string{
		"9 of 10 events have no annotations of flowcontrol-apiserver: flow schema and level are from the configuration of now, seats are as kubectl apf explain estimates them, from the least to the most that are possible, reasons are inferred from duration and level, and waits in requests of up to 500ms are unknown.",
		"1 of 10 events have no groups: the groups that their users' names imply decide the flow schema.",
		"1 of 10 events do not have the end of the request: it counts as if it had used no seat-seconds, and its rejection as if it had not waited.",
		"1 responses 429 are not from flow control, but from a handler.",
		`2 responses 429 are not from flow control, but from a handler, which says "a".`,
		`1 responses 429 are not from flow control, but from a handler, which says "b".`,
		`1 responses 429 are not from flow control, but from a handler, which says "c".`,
		`1 responses 429 are not from flow control, but from a handler, which says "d".`,
		`1 responses 429 are not from flow control, but from a handler, which says "e".`,
		"Requests that the audit policy omits are not counted.",
	}, r.Notes)
}

func TestWhoCallsRemovedVersionsOfFlowControlIsSaid(t *testing.T) {
	i := New(Query{User: "u"}, site(), nil, start())
	for _, one := range []*logs.Request{call{user: "u", group: "users"}.event(), call{user: "u", group: "users"}.event(), call{user: "v", group: "users"}.event()} {
		one.APIGroup, one.APIVersion = "flowcontrol.apiserver.k8s.io", "v1beta3"
		i.Observe(one)
	}
	other := call{user: "u", group: "users"}.event()
	other.APIGroup, other.APIVersion, other.Removed = "autoscaling", "v2beta2", "1.26"
	i.Observe(other)
	remedies := i.Result().Remedies
	require.Len(t, remedies, 1)
	assert.Contains(t, remedies[0].Because, "User/u: ")
	assert.Contains(t, remedies[0].Because, "2 requests")
}

func repeat(n int, c call) []call { return slices.Repeat([]call{c}, n) }

func TestSeatsOfAWriteBesidesTheFirstAreHeldWhileWatchersAreNotified(t *testing.T) {
	write := call{user: "alice", group: "users", verb: "update", took: time.Second, told: told("alice", 10, "executed")}
	read := write
	read.user, read.verb, read.told = "bob", "get", told("bob", 10, "executed")
	unknown := write // as many watchers as the two seats are for that the level grants
	unknown.user, unknown.told = "carol", nil
	r := inquire(Query{}, nil, write, read, unknown)
	used := map[string]*float64{}
	for _, f := range r.Flows {
		used[f.Distinguisher] = f.SeatSeconds
	}
	assert.InDelta(t, 1+10*0.005, *used["alice"], 1e-9)
	assert.InDelta(t, 10, *used["bob"], 1e-9)
	assert.InDelta(t, 1, *used["carol"], 1e-9)
	assert.InDelta(t, 1+2*0.005, *r.Flows[2].SeatSecondsAtMost, 1e-9)
}

func TestWhatTellsNoTimeHasNone(t *testing.T) {
	r := inquire(Query{}, []replica.Replica{{Read: start(), Flows: []replica.Flow{{Level: "queued", FlowSchema: "users", Distinguisher: "alice", SeatSeconds15m: 2}}}})
	assert.Nil(t, r.Since)
	assert.Contains(t, r.summary(), "from - to -")
	assert.Equal(t, new(9000.0), r.Flows[0].FairShare, "10 seats for 15 minutes")
}

func TestRejectionsAloneTellNoUses(t *testing.T) {
	r := inquire(Query{}, []replica.Replica{{Rejections: []replica.Rejection{{Level: "queued", FlowSchema: "users", Distinguisher: "alice", Reason: "queue-full", Count: 2, First: start(), Last: start()}}}})
	assert.Nil(t, r.Flows[0].SeatSeconds)
	assert.Equal(t, []string{"-", "1", "-"}, r.levelTable().Rows[0][3:])
}

func TestNothingIsSaidToBeNothing(t *testing.T) {
	r := inquire(Query{User: "alice"}, nil)
	assert.Equal(t, Nothing, r.Evidence)
	assert.Nil(t, r.Since)
	assert.Contains(t, r.Notes[0], "There is no per-flow data")
	var out bytes.Buffer
	require.NoError(t, r.WriteTable(&out, table.Options{}))
	assert.True(t, strings.HasPrefix(out.String(), "No request of user alice is known one by one.\n"), out.String())
}

func TestLevelThatIsGoneIsSaid(t *testing.T) {
	gone := call{user: "alice", told: &annotations{"old", "gone", "", 1, "queue-full"}, code: 429}
	runaway := gone
	runaway.user, runaway.code, runaway.took = "runaway", 200, time.Minute
	runaway.told = &annotations{"old", "gone", "runaway", 1, "executed"}
	r := inquire(Query{User: "alice"}, nil, gone, runaway)
	assert.Empty(t, r.Remedies, "shares of an unknown limit are unknown")
	assert.Contains(t, r.Notes, `The priority level "gone" is not in the configuration: its limits are unknown.`)
	assert.Empty(t, r.Flows[0].Queues)
	assert.Nil(t, r.Flows[0].FairShare)
	assert.Equal(t, []string{"gone", "-", "-", "-", "2", "old/runaway 60.0, old/ 0.0"}, r.levelTable().Rows[0])
	metered := []replica.Replica{{Metrics: replica.Metrics{Levels: map[string]replica.LevelMetrics{"gone": {Current: new(7)}}}}}
	assert.Equal(t, new(7.0), inquire(Query{User: "alice"}, metered, gone, runaway).Levels[0].Limit, "a server tells it")
}

func TestTheFlowsInAResultAreBounded(t *testing.T) {
	i := New(Query{}, site(), nil, start())
	for n := range maxResult + 2 {
		user := fmt.Sprint(n)
		i.Observe(call{user: user, told: told(user, 1, "executed")}.event())
	}
	r := i.Result()
	assert.Len(t, r.Flows, maxResult)
	assert.Contains(t, r.Notes, "2 more flows are not shown.")
}

// Requests of exempt levels matter only if the server's bound for them rejected some.
func TestRejectedExemptRequestsAreExplained(t *testing.T) {
	exempt := func(outcome string) *annotations {
		return &annotations{schema: "exempt", level: "exempt", outcome: outcome}
	}
	r := inquire(Query{}, nil,
		call{user: "root", group: "system:masters", told: exempt("executed")},
		call{user: "root", group: "system:masters", code: 429, told: exempt("concurrency-limit")},
		call{user: "root", group: "system:masters", code: 429, told: exempt("concurrency-limit")},
	)
	require.Len(t, r.Flows, 1)
	assert.Equal(t, map[string]int{"concurrency-limit": 2}, r.Flows[0].Reasons)
	assert.Equal(t, []User{{"root", 2}}, r.Flows[0].Users)
	const action = "Make it send fewer requests at once, or raise --max-exempt-requests-inflight if the load is intended. "
	assert.Equal(t, []string{action + "2 exempt requests were rejected since too many were in flight, and root sent most of them."}, said(r))
	r = inquire(Query{}, []replica.Replica{{Rejections: []replica.Rejection{{Level: "exempt", FlowSchema: "exempt", Reason: "concurrency-limit", Count: 3, User: "root"}}}})
	assert.Equal(t, []string{action + "3 exempt requests were rejected since too many were in flight, and root sent the last of them."}, said(r))
	assert.Equal(t, []User{{"root", 1}}, r.Flows[0].Users, "of the last rejection alone")

	r = inquire(Query{}, nil, call{user: "root", group: "system:masters", code: 429})
	assert.Empty(t, r.Flows, "another 429, such as an eviction's")
}
