package explain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

func TestTheHandIsTheOneThatTheEngineDeals(t *testing.T) {
	a := explained(t, input(), "list secrets -n ci --as=system:serviceaccount:ci:runner")
	dealer, err := flow.NewDealer(128, 6)
	require.NoError(t, err)
	assert.Equal(t, dealer.Deal(flow.HashOf("service-accounts", "system:serviceaccount:ci:runner"), nil), a.Flow.Hand)
	assert.Len(t, a.Flow.Hash, 16)
	assert.Equal(t, Limits{Limits: configuration.Limits{Nominal: 245, Lower: 24, Upper: 600}, Current: a.PriorityLevel.Limits.Current, Inferred: true, idle: true}, a.PriorityLevel.Limits)
}

// hand is the hand of alice on the level global-default.
func handOfAlice(t *testing.T) []int {
	t.Helper()
	return explained(t, input(), "get pods web").Flow.Hand
}

func TestTheStateOfAnAPIServerDecides(t *testing.T) {
	hand := handOfAlice(t)
	require.Len(t, hand, 6)
	limits := func(current, used int) replica.LevelMetrics {
		return replica.LevelMetrics{Nominal: new(49), Lower: new(25), Upper: new(600), Current: new(current), SeatsInUse: new(used)}
	}
	queue := func(place, waiting int, work float64) replica.Queue {
		return replica.Queue{Index: hand[place], Waiting: waiting, Work: work}
	}
	// busy are the queues; the third of the hand has the least work.
	busy := []replica.Queue{queue(0, 5, 0.015), queue(1, 5, 0.015), queue(2, 1, 0.003), queue(3, 7, 0.021), queue(4, 5, 0.015), queue(5, 5, 0.015)}
	full := make([]replica.Queue, 6)
	for i := range full {
		full[i] = queue(i, 50, 0.15)
	}
	for name, c := range map[string]struct {
		state  replica.Replica
		line   string
		want   Decision
		reason string
		why    string
		chosen []int
		// catchAll: there is no flow schema global-default.
		catchAll bool
	}{
		"seats are free": {state("global-default", limits(49, 10), 0, 10, busy[0]), "get pods web", Executes, "", "10 of 49 seats", nil, false},
		"no seat is free, and one queue has the least work": {
			state("global-default", limits(49, 49), 28, 49, busy...), "get pods web", Waits, "", "behind 1 request; 28 requests wait", []int{2}, false,
		},
		"no seat is free, and all queues are empty": {
			state("global-default", limits(49, 49), 0, 49, queue(0, 0, 0)), "get pods web", Waits, "", "one of the queues", []int{0, 1, 2, 3, 4, 5}, false,
		},
		"others wait, although seats are free": {state("global-default", limits(49, 48), 28, 48, busy...), "get pods web", Waits, "", "48 of 49", []int{2}, false},
		"the queues are full": {
			state("global-default", limits(49, 49), 300, 49, full...), "get pods web", Rejected, "queue-full", "queue length limit is 50", []int{0, 1, 2, 3, 4, 5}, false,
		},
		"the queues are full and a seat is free": {
			state("global-default", limits(49, 48), 300, 48, full...), "get pods web", Waits, "", "behind 50 requests", []int{0, 1, 2, 3, 4, 5}, false,
		},
		"the queues are not known":      {state("global-default", limits(49, 49), 28, 49), "get pods web", Waits, "", "not known", nil, false},
		"too few seats for a wide list": {state("global-default", limits(49, 42), 0, 42, busy[0]), "list secrets -A", Waits, "", "42 of 49", []int{1, 2, 3, 4, 5}, false},
		"a wide list that just fits":    {state("global-default", limits(49, 41), 0, 41, busy[0]), "list secrets -A", Executes, "", "41 of 49", nil, false},
		"a list wider than the limit executes alone": {
			state("global-default", limits(3, 0), 0, 0, busy[0]), "list secrets -A", Executes, "", "0 of 3", nil, false,
		},
		"a limit of zero": {state("global-default", limits(0, 0), 0, 0, queue(0, 0, 0)), "get pods web", Waits, "", "0 of 0", []int{0, 1, 2, 3, 4, 5}, false},
		"an exempt level": {state("global-default", limits(49, 49), 300, 49, full...), "get pods web --as=root --as-group=system:masters", Executes, "", "exempt", nil, false},
		"another level is busy": {
			state("system", limits(49, 49), 300, 49, full...), "get pods web", Unknown, "", "did not report", nil, false,
		},
		"no queues and no seats": {
			state("catch-all", replica.LevelMetrics{Nominal: new(13), Current: new(13), SeatsInUse: new(13)}, 0, 13), "get /version", Rejected, "concurrency-limit", "13 of 13", nil, true,
		},
		"no queues and a seat": {
			state("catch-all", replica.LevelMetrics{Nominal: new(13), Current: new(13), SeatsInUse: new(12)}, 0, 12), "get /version", Executes, "", "12 of 13", nil, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := input()
			if c.catchAll {
				in = withoutDefault()
			}
			in.Replicas = []replica.Replica{c.state}
			a := explained(t, in, c.line)
			require.Len(t, a.Replicas, 1)
			assert.Equal(t, c.want, a.Outcome.Decision)
			assert.Equal(t, c.reason, a.Outcome.Reason)
			assert.Contains(t, a.Outcome.Why, c.why)
			var chosen []int
			for i, q := range a.Replicas[0].Hand {
				if q.Chosen {
					chosen = append(chosen, i)
				}
			}
			assert.Equal(t, c.chosen, chosen)
		})
	}
}

// flowsOf returns a server with pkg/apf, where one of 49 seats is free and so many requests of alice and of another
// flow with her number wait.
func flowsOf(alice, other, waiting int) replica.Replica {
	r := state("global-default", replica.LevelMetrics{Nominal: new(49), Upper: new(600), Current: new(49), SeatsInUse: new(48)}, waiting, 48)
	r.Metrics.ByFlow = true
	for name, n := range map[string]int{"alice": alice, "other": other} {
		one := replica.Request{Level: "global-default", FlowSchema: "global-default", Distinguisher: name, InitialSeats: new(1)}
		r.Requests = append(r.Requests, slices.Repeat([]replica.Request{one}, n)...)
	}
	return r
}

func TestWithAQueueForEachFlowItsOwnRequestsDecide(t *testing.T) {
	first := handOfAlice(t)[0]
	executing := flowsOf(0, 6400, 6400)
	executing.Requests = append(executing.Requests, replica.Request{Level: "global-default", FlowSchema: "global-default", Distinguisher: "alice", InitialSeats: new(1), Started: epoch})
	silent := flowsOf(0, 0, 28)
	silent.Missing = []replica.Missing{{What: string(replica.EndpointRequests), Why: "Forbidden."}}
	for _, c := range []struct {
		name   string
		state  replica.Replica
		want   Decision
		reason string
		why    string
		queue  string
	}{
		{"others wait", flowsOf(0, 28, 28), Waits, "", "48 of 49 seats are in use. It waits behind 0 requests of its flow; 28 requests wait on the priority level.", "(0)*"},
		{"its own wait too", flowsOf(2, 28, 30), Waits, "", "behind 2 requests of its flow", "(2)*"},
		{"as many of its flow as may", flowsOf(300, 0, 300), Rejected, "queue-full", "Of its flow 300 requests wait, as many as may.", "(300)*"},
		{"a full level, and none of its flow", flowsOf(0, 6400, 6400), Waits, "", "6,400 requests wait, as many as may: the one that would be served last is rejected. That is another one, unless", "(0)*"},
		{"a full level, and one of its flow", flowsOf(1, 6399, 6400), Unknown, "", "That may be this one.", "(1)*"},
		{"a full level, and one of its flow that executes", executing, Unknown, "", "That may be this one.", "(0)*"},
		{"requests that are not told", silent, Waits, "", "How many requests of its flow wait is not known. If 300 wait, it is rejected: queue-full.", "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := input()
			in.Replicas = []replica.Replica{c.state}
			a := explained(t, in, "get pods web")
			assert.Equal(t, c.want, a.Outcome.Decision, a.Outcome.Why)
			assert.Equal(t, c.reason, a.Outcome.Reason)
			assert.Contains(t, a.Outcome.Why, c.why)
			assert.Equal(t, []int{first}, a.Flow.Hand)
			cells := a.replicasTable().Rows[0]
			if c.queue != "-" {
				c.queue = fmt.Sprint(first) + c.queue
			}
			assert.Equal(t, c.queue, cells[len(cells)-1])
		})
	}
	in := input()
	executing.Requests[len(executing.Requests)-1].InitialSeats = nil // it has one then
	in.Replicas = []replica.Replica{executing, flowsOf(2, 28, 30)}
	a := explained(t, in, "get pods web")
	assert.Equal(t, []Queue{{Index: first, Executing: 1, SeatsInUse: 1, Chosen: true}}, a.Replicas[0].Hand)
	assert.Equal(t, []Queue{{Index: first, Waiting: 2, WorkSeconds: 0.006, Chosen: true}}, a.Replicas[1].Hand, "3 ms for each seat")
	a = explained(t, Input{Configuration: configuration.Configuration{Own: true}, Now: epoch}, "get pods web")
	assert.Empty(t, a.Flow.Hand, "catch-all has no queues")
	in = input()
	in.Configuration.Own = true
	a = explained(t, in, "get pods web")
	assert.Equal(t, fmt.Sprintf("global-default, alice; queue %d", first), a.Flow.text("global-default"))
	assert.Equal(t, "global-default (Queue: at most 300 requests of a flow wait, and 6,400 requests of the level)", a.PriorityLevel.text(false))
}

func TestALevelWithoutQueuesAndSeatsRejectsOnlyOnThisServer(t *testing.T) {
	in := withoutDefault()
	in.Replicas = []replica.Replica{state("catch-all", replica.LevelMetrics{Nominal: new(0), Current: new(0)}, 0, 0)}
	assert.Equal(t, Executes, explained(t, in, "get /version").Outcome.Decision)
	in.Configuration.Own = true
	assert.Equal(t, Rejected, explained(t, in, "get /version").Outcome.Decision)
}

func TestWithoutMetricsLimitsAreInferredAndSeatsCounted(t *testing.T) {
	hand := handOfAlice(t)
	in := input()
	busy := state("global-default", replica.LevelMetrics{}, 1, 600, replica.Queue{Index: hand[0], Executing: 600, SeatsUsed: 600, Waiting: 1, Work: 0.003})
	busy.Metrics = replica.Metrics{}
	in.Replicas = []replica.Replica{busy}
	a := explained(t, in, "get pods web")
	assert.Equal(t, Waits, a.Outcome.Decision)
	assert.Equal(t, new(600), a.Replicas[0].SeatsInUse)
	assert.True(t, a.Replicas[0].Limits.Inferred)
	assert.True(t, a.PriorityLevel.Limits.Inferred)
}

func TestSeatsThatAreNotKnownMayNotBeFree(t *testing.T) {
	in := input()
	in.Facts = nil
	limits := replica.LevelMetrics{Nominal: new(49), Lower: new(25), Upper: new(600), Current: new(49), SeatsInUse: new(45)}
	in.Replicas = []replica.Replica{state("global-default", limits, 0, 45)}
	assert.Equal(t, Executes, explained(t, in, "get secrets a").Outcome.Decision)
	a := explained(t, in, "list secrets -A")
	assert.Equal(t, Unknown, a.Outcome.Decision)
	assert.Contains(t, a.Outcome.Why, "45 of 49 seats are in use. The request takes 1 to 8 seats. At best it executes, at worst it waits.")
}

// A file with some lines of /metrics, or one dump, tells a part.
func TestWhatAnAPIServerDidNotTellIsUnknown(t *testing.T) {
	told := func(m replica.LevelMetrics, of *replica.SchemaMetrics) replica.Replica {
		r := replica.Replica{Name: "part", Metrics: replica.Metrics{Levels: map[string]replica.LevelMetrics{"global-default": m}, Schemas: map[replica.SchemaKey]replica.SchemaMetrics{}}}
		if of != nil {
			r.Metrics.Schemas[replica.SchemaKey{Level: "global-default", FlowSchema: "global-default"}] = *of
		}
		return r
	}
	dump := state("global-default", replica.LevelMetrics{}, 17, 40)
	for _, c := range []struct {
		name    string
		state   replica.Replica
		want    Decision
		why     string
		row     string
		partial bool
	}{
		{"rejections alone", told(replica.LevelMetrics{}, &replica.SchemaMetrics{Rejected: map[string]uint64{"queue-full": 42}}), Unknown, "did not report the seats in use", "-  - - - unknown", false},
		{"a dump of levels", dump, Waits, "How many seats are in use is not known.", "- - 40 17 waits", false},
		{"limits alone", told(replica.LevelMetrics{Nominal: new(49), Current: new(60)}, nil), Unknown, "did not report the seats in use", "- 60 - - unknown", true},
		{"a current limit and seats", told(replica.LevelMetrics{Current: new(60), SeatsInUse: new(3)}, nil), Unknown, "3 of 60 seats are in use.", "3 60 - - unknown", true},
		{"seats alone", told(replica.LevelMetrics{SeatsInUse: new(3)}, nil), Unknown, "In use: 3 seats. The current limit is not known: it is from ", "3 - - - unknown", false},
		{"free with the lower limit", told(replica.LevelMetrics{Lower: new(25), Upper: new(60), SeatsInUse: new(3)}, &replica.SchemaMetrics{Waiting: new(0)}), Executes, "it is from 25 to 60 seats. No request waits.", "3 - - 0 executes", false},
		{"free with the upper limit alone", told(replica.LevelMetrics{Lower: new(25), Upper: new(60), SeatsInUse: new(30)}, &replica.SchemaMetrics{Waiting: new(0)}), Unknown, "The request takes 1 seat. At best it executes, at worst it waits.", "30 - - 0 unknown", false},
		{"taken with the upper limit", told(replica.LevelMetrics{Lower: new(25), Upper: new(60), SeatsInUse: new(60)}, &replica.SchemaMetrics{Waiting: new(0)}), Waits, "In use: 60 seats.", "60 - - 0 waits", false},
		{"seats and limits", told(replica.LevelMetrics{Nominal: new(49), Current: new(60), SeatsInUse: new(3)}, nil), Unknown, "3 of 60 seats are in use. This API server did not report whether requests wait.", "3 60 - - unknown", true},
		{"no seat is free", told(replica.LevelMetrics{Nominal: new(49), Current: new(60), SeatsInUse: new(60)}, nil), Waits, "60 of 60", "60 60 - - waits", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := input()
			in.Replicas = []replica.Replica{c.state}
			a := explained(t, in, "get pods web")
			assert.Equal(t, c.want, a.Outcome.Decision)
			assert.Contains(t, a.Outcome.Why, c.why)
			assert.True(t, a.PriorityLevel.Limits.Inferred)
			assert.Equal(t, c.partial, strings.Contains(a.PriorityLevel.Limits.text(), "partly computed"))
			cells := a.replicasTable().Rows[0]
			assert.Equal(t, strings.Fields(c.row), cells[1:6])
		})
	}
}

func TestAPIServersMayDiffer(t *testing.T) {
	limits := replica.LevelMetrics{Nominal: new(49), Lower: new(25), Upper: new(600), Current: new(49)}
	idle := state("global-default", limits, 0, 0)
	limits.SeatsInUse = new(49)
	busy := state("global-default", limits, 3, 49)
	busy.Name = "https://10.0.0.2:6443"
	in := input()
	in.Replicas = []replica.Replica{idle, busy}
	a := explained(t, in, "get pods web")
	assert.Equal(t, Outcome{Decision: Differs, Why: "It depends on the API server: executes on 1, waits on 1 of 2."}, a.Outcome)

	in.Replicas = []replica.Replica{idle, idle}
	a = explained(t, in, "get pods web")
	assert.Equal(t, Executes, a.Outcome.Decision)
	assert.Contains(t, a.Outcome.Why, "So on each of 2 API servers.")
	assert.Equal(t, Limits{Limits: configuration.Limits{Nominal: 49, Lower: 25, Upper: 600}, Current: 49, told: true}, a.PriorityLevel.Limits)
}

func TestAnUpperLimitBeyondTheTotalIsExplained(t *testing.T) {
	in := input()
	in.Replicas = []replica.Replica{state("global-default", replica.LevelMetrics{Nominal: new(49), Upper: new(649), SeatsInUse: new(1)}, 0, 0)}
	a := explained(t, in, "get pods web")
	assert.Contains(t, a.PriorityLevel.Limits.text(), "upper 649 (more than all 600 seats: kube-apiserver does not bound it)")
	assert.Contains(t, a.Replicas[0].inUse(), "to 600 seats")
}

func TestWithoutStateTheOutcomeIsThatOfAnIdleServer(t *testing.T) {
	a := explained(t, input(), "get pods web")
	assert.Equal(t, Unknown, a.Outcome.Decision)
	assert.Contains(t, a.Outcome.Why, "On an idle one: 0 of")
	assert.Empty(t, a.Replicas)
	assert.Equal(t, Executes, explained(t, input(), "get pods web --as=root --as-group=system:masters").Outcome.Decision)
}

// kubernetes#134196
func TestALevelWithoutSeatsExecutesOneRequestOnKubeAPIServer(t *testing.T) {
	for own, want := range map[bool]Decision{false: Executes, true: Rejected} {
		in := input()
		in.Configuration.Own = own
		in.Configuration = in.Configuration.Changed(func(levels configuration.Settings) {
			l := levels["workload-low"]
			l.NominalConcurrencyShares, l.BorrowingLimitPercent, l.LimitResponse = new(int32), new(int32), flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject}
		})
		in.Replicas = []replica.Replica{state("workload-low", replica.LevelMetrics{Nominal: new(0), Current: new(0), SeatsInUse: new(0)}, 0, 0)}
		a := explained(t, in, "get pods web --as=system:serviceaccount:ci:runner")
		assert.Equal(t, want, a.Outcome.Decision)
		assert.Equal(t, !own, strings.Contains(a.Outcome.Why, "executes one request at a time on a level without seats"), a.Outcome.Why)
	}
}

func TestLongRunningRequestsBypassFlowControl(t *testing.T) {
	for _, line := range []string{"get pods/log web", "create pods/exec web", "get /debug/pprof/profile", "create nodes/proxy n1"} {
		a := explained(t, input(), line)
		assert.NotEmpty(t, a.Bypass, line)
		assert.Equal(t, Executes, a.Outcome.Decision, line)
	}
	own := input()
	own.Configuration.Own = true
	assert.NotEmpty(t, explained(t, own, "get /debug/pprof/profile").Bypass, "so of every server on the library")
	assert.Empty(t, explained(t, own, "create pods/exec web").Bypass)
	assert.Empty(t, explained(t, input(), "watch pods").Bypass)
	assert.Empty(t, explained(t, input(), "get /debug/api_priority_and_fairness/dump_queues").Bypass)
}
