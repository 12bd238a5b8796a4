package why

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// surveyed is inquire with a survey, of requests on servers.
func surveyed(q Query, servers []string, calls ...call) Result {
	i := New(q, site(), nil, start())
	for _, look := range []func(*logs.Request){i.Survey, i.Observe} {
		for n, c := range calls {
			r := c.event()
			if len(servers) > 0 {
				r.Replica = servers[n%len(servers)]
			}
			look(r)
		}
	}
	return i.Result()
}

// incident is five minutes long: runaway uses nine of ten seats, and one of alice's requests a second is
// rejected.
func incident() (calls []call) {
	calls = steady("runaway", 9, 300)
	for n := range 300 {
		calls = append(calls, call{user: "alice", group: "users", at: time.Duration(n) * time.Second, took: time.Millisecond, code: 429, told: told("alice", 1, "queue-full")})
	}
	return calls
}

// The same incident gives the same answer in a log of its own, in the log of its day, and beside an event of 1970.
func TestTheTimeOfRejectionsIsJudged(t *testing.T) {
	quiet := func(at time.Duration) call {
		return call{user: "alice", group: "users", at: at, took: time.Millisecond, told: told("alice", 1, "executed")}
	}
	for name, besides := range map[string][]call{
		"a log of its own":     nil,
		"the log of its day":   {quiet(-10 * time.Hour), quiet(14 * time.Hour)},
		"beside an old event":  {quiet(time.Unix(0, 0).Sub(start()))},
		"within a long period": {quiet(-5 * time.Minute), quiet(10 * time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			r := surveyed(Query{User: "alice"}, nil, append(incident(), besides...)...)
			require.Len(t, r.Levels, 1)
			l := r.Levels[0]
			assert.InDelta(t, 300, *l.Seconds, 10)
			assert.InDelta(t, 0.9, *l.Used / *l.Capacity, 0.03, "nine of ten seats")
			assert.InDelta(t, *l.Capacity/2, *r.Flows[0].FairShare, 1e-6, "two flows want more than half of it")
			require.NotEmpty(t, r.Remedies)
			assert.Contains(t, r.Remedies[0].Action, `Isolate the flow "runaway"`)
			assert.Contains(t, strings.Join(r.Notes, "\n"), "priority level queued are of the 3")
		})
	}
	calm := surveyed(Query{User: "alice"}, nil, quiet(0), quiet(time.Hour), steady("bob", 1, 1)[0])
	assert.InDelta(t, 3600, *calm.Levels[0].Seconds, 1, "without rejections, the whole log")
}

func TestAnExecutionCountsAsFarAsItIsInTheWindow(t *testing.T) {
	w := window{}
	at := func(seconds int) time.Time { return time.Unix(int64(seconds), 0) }
	w.add(at(100), at(115))
	w.add(at(200), at(200))
	assert.Equal(t, 30*time.Second, w.within(at(0), at(1000)))
	assert.Equal(t, 5*time.Second, w.within(at(115), at(130)))
	assert.Equal(t, 30*time.Second, w.within(at(-1<<40), at(1<<30)), "a long time")
	assert.Zero(t, w.within(at(120), at(200)))
	w = window{}
	w.add(at(0), at(1<<30))
	assert.LessOrEqual(t, len(w), 61, "a clock that jumps does not fill the memory")
}

func TestUnevenLoadOfServersIsSaid(t *testing.T) {
	var calls []call
	for n := range 100 { // one on each server in turn
		at := time.Duration(n) * time.Second
		calls = append(calls,
			call{user: "runaway", group: "users", at: at, took: time.Second, told: told("runaway", 9, "executed")},
			call{user: "calm", group: "users", at: at, took: time.Second, told: told("calm", 1, "executed")},
			call{user: "alice", group: "users", at: at, took: time.Millisecond, code: 429, told: told("alice", 1, "queue-full")},
			call{user: "alice", group: "users", at: at, took: time.Millisecond, told: told("alice", 1, "executed")})
	}
	r := surveyed(Query{User: "alice"}, []string{"a", "b"}, calls...)
	require.Len(t, r.Levels, 1)
	l := r.Levels[0]
	assert.Equal(t, 2, l.Servers)
	require.Len(t, l.ByServer, 2)
	assert.Equal(t, []int{200, 100}, []int{l.ByServer[0].Requests, l.ByServer[0].Rejected})
	assert.Equal(t, []int{200, 0}, []int{l.ByServer[1].Requests, l.ByServer[1].Rejected})
	assert.Equal(t, [][]string{{"queued", "a", "200", "100", "90%"}, {"queued", "b", "200", "0", "10%"}}, r.serverTable().Rows)
	assert.True(t, slices.ContainsFunc(r.Remedies, func(one Remedy) bool {
		return strings.HasPrefix(one.Because, "Load is uneven: of priority level queued, a used 90% of its seats and rejected 100 requests, b used 10%")
	}), said(r))
	even := surveyed(Query{User: "alice"}, []string{"a", "a", "a", "a", "b", "b", "b", "b"}, calls...)
	assert.NotContains(t, strings.Join(said(even), "\n"), "uneven")
}

func TestWhatIsUnknownIsNotNone(t *testing.T) {
	c := site()
	zero := level("empty", 0, false)
	c.PriorityLevels = append(c.PriorityLevels, zero)
	c.FlowSchemas = append(c.FlowSchemas, schema("dangling", "gone", "a", nil), schema("starved", "empty", "b", nil))
	others := replica.Replica{
		Flows:      []replica.Flow{{Level: "queued", FlowSchema: "users", Distinguisher: "bob", SeatSeconds15m: 2}},
		Rejections: []replica.Rejection{{Level: "queued", FlowSchema: "users", Distinguisher: "bob", Reason: "queue-full", Count: 40}},
		Metrics: replica.Metrics{Schemas: map[replica.SchemaKey]replica.SchemaMetrics{
			{Level: "empty", FlowSchema: "starved"}: {Dispatched: new(uint64(5)), Rejected: map[string]uint64{"concurrency-limit": 4981}},
			{Level: "queued", FlowSchema: "users"}:  {Dispatched: new(uint64(7)), Rejected: map[string]uint64{}},
		}},
	}
	for _, test := range []struct {
		name       string
		query      Query
		own        bool
		nothing    []string // of what is told instead of an answer
		about      string
		remedy     string
		affected   bool
		ofCounters []string
	}{
		{"a flow schema whose level was deleted", Query{FlowSchema: "dangling"}, true, []string{"No request of flow schema dangling is known", `names the priority level "gone", which does not exist now`}, "", "", false, nil},
		{"a flow schema that does not exist", Query{FlowSchema: "usres"}, true, []string{`There is no flow schema "usres" now.`}, "", "", false, nil},
		{"a level without seats on this server", Query{FlowSchema: "starved"}, true, nil, "", "It has none: the API server rejects all its requests, unless it borrows seats.", true, []string{"starved"}},
		{"a level without seats on kube-apiserver", Query{FlowSchema: "starved"}, false, nil, "", "It has none: kube-apiserver executes one of its requests at a time, while the level is idle, and rejects the others.", true, []string{"starved"}},
		{"a user whose flow schema has seats", Query{User: "system:serviceaccount:a:b"}, false, []string{"No request of user system:serviceaccount:a:b"}, "", "", false, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c.Own = test.own
			r := New(test.query, c, []replica.Replica{others}, start()).Result()
			assert.Equal(t, Nothing, r.Evidence)
			for _, says := range test.nothing {
				assert.Contains(t, r.WhyNothing(), says)
			}
			assert.Equal(t, test.nothing == nil, r.WhyNothing() == "", r.WhyNothing())
			assert.Equal(t, test.affected, r.Affected())
			assert.Contains(t, fmt.Sprint(r.Remedies), test.remedy)
			var schemas []string
			for _, one := range r.Counters {
				schemas = append(schemas, one.FlowSchema)
			}
			assert.Equal(t, test.ofCounters, schemas)
		})
	}
}

// kube-apiserver remembers no flows: counters of the flow schemas that match a user tell of their rejections.
func TestCountersOfTheFlowSchemasOfAUser(t *testing.T) {
	c := site()
	c.FlowSchemas[1].Spec.Rules[0].Subjects = []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindServiceAccount, ServiceAccount: &flowcontrolv1.ServiceAccountSubject{Namespace: "shop", Name: "*"}}}
	counted := replica.Replica{Metrics: replica.Metrics{Schemas: map[replica.SchemaKey]replica.SchemaMetrics{
		{Level: "rejecting", FlowSchema: "jobs"}: {Dispatched: new(uint64(5)), Rejected: map[string]uint64{"concurrency-limit": 4981}},
		{Level: "queued", FlowSchema: "users"}:   {Dispatched: new(uint64(7)), Rejected: map[string]uint64{"queue-full": 3}},
	}}}
	r := New(Query{User: "system:serviceaccount:shop:web"}, c, []replica.Replica{counted}, start()).Result()
	require.Len(t, r.Counters, 1)
	assert.Equal(t, "jobs", r.Counters[0].FlowSchema)
	assert.True(t, r.Affected())
	assert.Contains(t, r.Notes, "Counters do not distinguish users: these are of the flow schemas that may match requests of system:serviceaccount:shop:web.")
}
