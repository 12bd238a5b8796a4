package why

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

func TestRemedies(t *testing.T) {
	rejected := func(user, outcome string) call {
		return call{user: user, group: "users", at: 50 * time.Second, took: time.Millisecond, code: 429, told: told(user, 1, outcome)}
	}
	end := call{user: "idle", group: "users", at: 99 * time.Second, took: time.Second, told: told("idle", 1, "executed")}
	list := call{user: "alice", group: "users", verb: "list", took: 2 * time.Second, told: told("alice", 8, "executed")}
	paged := list
	paged.list = &trace.ListOptions{Limit: 500}
	cached := list
	cached.list = &trace.ListOptions{ResourceVersion: "0"}
	write := call{user: "alice", group: "users", verb: "update", took: time.Millisecond, told: told("alice", 10, "executed")}
	team := func(user string, code int) call {
		return call{user: user, group: "team", at: 10 * time.Second, took: 10 * time.Millisecond, code: code}
	}
	job := func(at time.Duration, code int) call {
		return call{user: "job", group: "jobs", at: at, took: 10 * time.Millisecond, code: code}
	}
	heavy := func(user string) []call {
		one := list
		one.user, one.told = user, told(user, 8, "executed")
		return repeat(10, one)
	}
	named := list
	named.name = "one"
	const isolate = `Isolate the flow "runaway" of flow schema users: give it its own flow schema and priority level, or make it send less. `
	const longer = " of 10 seats on average: they came in bursts. PriorityLevelConfiguration/%s spec.limited.limitResponse.queuing.queueLengthLimit: 50, 100"
	const page = "Page lists of pods with limit=500, or watch instead of listing again. "
	for _, test := range []struct {
		name  string
		query Query
		calls []call
		want  []string
	}{
		{"without rejections and waits there is none", Query{User: "runaway"}, crowded(), nil},
		{"a flow that takes most is isolated, and a level short of seats gets shares", Query{User: "alice"}, crowded(), []string{
			isolate + "It used 1000 of 1002 seat-seconds of priority level queued, 1.0 times its fair share; 1 other flows shared the rest.",
			"Raise nominalConcurrencyShares of priority level queued from 10 to 12. Its requests ask for 10.0 seats on average, and its limit is 10 on each server. " +
				"This gives it 12 seats, 2 more; the others lose 1 of them. PriorityLevelConfiguration/queued spec.limited.nominalConcurrencyShares: 10, 12",
		}},
		{"with two servers there are twice as many seats", Query{User: "alice", Servers: 2}, crowded(), nil},
		{"a flow that has less than its fair share is not isolated", Query{User: "alice"}, append(steady("runaway", 6, 100), rejected("alice", "time-out")), nil},
		{"lists without a limit are paged", Query{User: "alice"}, slices.Concat(repeat(10, list), []call{rejected("alice", "time-out"), end}),
			[]string{page + "10 lists without a limit used 160 of 160 seat-seconds of the flow: 8.0 seats for 2s on average."}},
		{"others' too", Query{User: "bob"}, slices.Concat(heavy("u1"), heavy("u2"), heavy("u3"), heavy("u4"), []call{rejected("bob", "time-out"), end}),
			[]string{page + "40 lists without a limit of u1, u2, u3 and 1 more used 640 of 641 seat-seconds of priority level queued: 8.0 seats for 2s on average."}},
		{"lists with a limit are not", Query{User: "alice"}, slices.Concat(repeat(10, paged), []call{rejected("alice", "time-out"), end}), nil},
		{"lists of one object are not", Query{User: "alice"}, slices.Concat(repeat(10, named), []call{rejected("alice", "time-out"), end}), nil},
		{"a limit does not help lists from the watch cache", Query{User: "alice"}, slices.Concat(repeat(10, cached), []call{rejected("alice", "time-out"), end}), nil},
		{"writes that notify many need fewer watchers", Query{User: "alice"}, slices.Concat(repeat(10, write), []call{rejected("alice", "time-out"), end}),
			[]string{"Reduce the watchers of pods: watch a namespace or a selector instead of all objects. 10 writes used 0.5 of 0.5 seat-seconds of the flow and notified about 100 watchers each."}},
		{"full queues on a level that is idle on average get longer", Query{User: "alice"}, append(repeat(50, end), rejected("alice", "queue-full")),
			[]string{"Raise queueLengthLimit of priority level queued from 50 to 100. 1 requests were rejected with queue-full, although the level was asked for only 1.0" + fmt.Sprintf(longer, "queued")}},
		{"a log with fewer requests than fill a queue lacks the cause", Query{User: "alice"}, append(repeat(49, end), rejected("alice", "queue-full")), nil},
		{"bursts on a level without queues may wait", Query{User: "job"}, []call{job(0, 200), job(0, 429), end, job(100*time.Second, 200)},
			[]string{"Let requests of priority level rejecting wait: set limitResponse.type to Queue. 1 requests were rejected with concurrency-limit, although the level was asked for only 0.0 of 10 seats on average: they came in bursts. " +
				"PriorityLevelConfiguration/rejecting spec.limited.limitResponse.type: Reject, Queue"}},
		{"users who share a flow are divided", Query{User: "bob"},
			slices.Concat(repeat(50, team("alice", 200)), []call{team("bob", 429)}, []call{{user: "alice", group: "team", at: 100 * time.Second}}),
			[]string{
				"Set distinguisherMethod ByUser in flow schema team, so that its users do not share queues. Its users are one flow, and alice sent 51 of 52 requests. FlowSchema/team spec.distinguisherMethod.type: <nil>, ByUser",
				"Raise queueLengthLimit of priority level shared from 50 to 100. 1 requests were rejected with queue-full, although the level was asked for only 0.0" + fmt.Sprintf(longer, "shared"),
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, said(inquire(test.query, nil, test.calls...)))
		})
	}
}

// listers have three clients list all pods, which takes up to 10 seats of a level of 65, while a victim's
// requests are rejected.
func listers() []call {
	var all []call
	for n := range 300 {
		at := time.Duration(n) * 400 * time.Millisecond
		for _, user := range []string{"lister-a", "lister-b", "lister-c"} {
			all = append(all, call{user: user, group: "rest", verb: "list", at: at, took: 3 * time.Second})
		}
		all = append(all, call{user: "victim", group: "rest", at: at, took: 20 * time.Millisecond, code: []int{200, 429}[n%2]})
	}
	return append(all, call{user: "victim", group: "rest", code: 400})
}

func TestListsOfUnknownWidthAreNoBursts(t *testing.T) {
	for _, test := range []struct {
		name    string
		release configuration.Release
		pods    int64 // stored; negative if that is unknown
		used    string
		want    []string
	}{
		{"whose pages are smaller", "1.34", -1, "34% to 339%", []string{"Page lists of pods with limit=500, or watch instead of listing again."}},
		{"whose pages are as large", "1.33", -1, "34% to 339%", []string{"Watch pods instead of listing them again. A limit does not lower the seats of a list here."}},
		{"that are known to be wide", "1.33", 5000, "", []string{"Watch pods", "Make its clients send less, or raise the seats of the server"}},
		{"that are known to be narrow", "1.33", 50, "34%", []string{"Raise queueLengthLimit of priority level rest from 50 to 100."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := site()
			c.Release = test.release
			c.FlowSchemas = append(c.FlowSchemas, schema("rest", "rest", "rest", c.FlowSchemas[0].Spec.DistinguisherMethod))
			var replicas []replica.Replica
			if test.pods >= 0 {
				replicas = []replica.Replica{{Metrics: replica.Metrics{Objects: map[kschema.GroupResource]int64{{Resource: "pods"}: test.pods}}}}
			}
			i := New(Query{User: "victim"}, c, replicas, start())
			for _, one := range listers() {
				i.Observe(one.event())
			}
			r := i.Result()
			for n, want := range test.want {
				assert.Contains(t, strings.Join(said(r), "\n"), want, n)
			}
			assert.Len(t, r.Remedies, len(test.want), said(r))
			assert.Contains(t, r.levelTable().Rows[0][3], test.used)
			assert.Equal(t, test.pods < 0, r.Flows[0].FairShareAtMost != nil)
			for _, remedy := range r.Remedies {
				assert.Equal(t, test.used == "34%", strings.Contains(remedy.Because, "bursts"), remedy.Because)
			}
		})
	}
}

// A log that is filtered by one user or status tells neither what the level did nor why.
func TestAFilteredLogGivesNoCause(t *testing.T) {
	for _, test := range []struct {
		name string
		keep func(call) bool
		says string
	}{
		{"by a user", func(c call) bool { return c.user == "victim" }, "All events are of user victim"},
		{"by a status", func(c call) bool { return c.code >= 400 }, "No event is of a request that succeeded"},
		{"by nothing", func(call) bool { return true }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := site()
			c.FlowSchemas = append(c.FlowSchemas, schema("rest", "rest", "rest", c.FlowSchemas[0].Spec.DistinguisherMethod))
			i := New(Query{}, c, nil, start())
			for _, one := range listers() {
				if test.keep(one) {
					i.Observe(one.event())
				}
			}
			r := i.Result()
			assert.Equal(t, test.says != "", len(r.Remedies) == 0, said(r))
			assert.Equal(t, test.says != "", strings.Contains(strings.Join(r.Notes, " "), test.says+": the log may be filtered."), r.Notes)
			row := r.levelTable().Rows[0]
			assert.Equal(t, test.says != "", slices.Equal([]string{"-", "-", "-"}, row[3:]), row)
			assert.Equal(t, test.says != "", r.Flows[0].FairShare == nil)
		})
	}
}

func TestSharesThatSuffice(t *testing.T) {
	for _, test := range []struct {
		name   string
		seats  int
		to     int32
		enough bool
	}{
		{"the least shares are found", 20, 22, true},
		{"shares that suffice stay", 10, 10, true},
		{"no shares give more seats than the server has", 101, 0, false},
		{"the others keep half of their seats", 60, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			raise, ok := raiseShares(site(), "queued", test.seats)
			require.Equal(t, test.enough, ok)
			if !ok {
				return
			}
			assert.Equal(t, test.to, raise.to)
			assert.GreaterOrEqual(t, raise.seats, test.seats)
		})
	}
	_, ok := raiseShares(site(), "exempt", 10)
	assert.False(t, ok, "an exempt level has no limit to raise")
}

func TestBorrowingLimitThatHoldsALevelBackIsRaised(t *testing.T) {
	c := site()
	limit := int32(50)
	c.PriorityLevels[0].Spec.Limited.BorrowingLimitPercent = &limit
	remedies := func(demand float64) []Remedy {
		i := New(Query{User: "alice"}, c, []replica.Replica{{Metrics: metricsOf(15, 15, demand)}}, start())
		for _, one := range crowded() {
			i.Observe(one.event())
		}
		return i.Result().Remedies
	}
	for _, remedy := range remedies(25) {
		assert.NotContains(t, remedy.Action, "borrowing", "the others lend nothing")
	}
	c.PriorityLevels[3].Spec.Limited.LendablePercent = new(int32(50))
	assert.Contains(t, remedies(25), Remedy{
		Action:  "Raise borrowingLimitPercent of priority level queued from 50 to 150.",
		Because: "Requests demand 25 seats. It has 15, its upper limit: 10 nominal, 5 borrowed. The other levels lend up to 33.",
		Object:  "PriorityLevelConfiguration/queued", Field: "spec.limited.borrowingLimitPercent", From: int32(50), To: int32(150),
	})
	for demand, action := range map[float64]string{40: "from 50 to 300", 2951: "from 50 to 330"} { // 33 seats at most
		assert.Contains(t, strings.Join(said(Result{Remedies: remedies(demand)}), "\n"), "Raise borrowingLimitPercent of priority level queued "+action+".")
	}
}
