package simulate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// The mean wait of Poisson arrivals at one server with a constant service time S and the
// utilization u is u·S / (2·(1-u)): Pollaczek and Khinchine.
func TestASingleQueueWaitsAsTheFormulaSays(t *testing.T) {
	const utilization, service = 0.7, 10 * time.Millisecond
	trace := poisson("alice", utilization/service.Seconds(), service, 30*time.Minute, 1)
	want := utilization * service.Seconds() / (2 * (1 - utilization))
	for _, engine := range engines() {
		t.Run(string(engine), func(t *testing.T) {
			options := trace.options()
			options.Engine = engine
			r := run(t, options, busy(1, 1, 1, 10_000)).Results[0]
			l := levelOf(t, &r, "busy")
			assert.InEpsilon(t, want, l.Wait.Mean, 0.05)
			assert.InEpsilon(t, utilization, l.Seats.Mean, 0.03)
			assert.InEpsilon(t, utilization, float64(l.Waited)/float64(l.Dispatched), 0.03, "a part u of the requests waits")
			assert.Equal(t, uint64(len(trace)), l.Dispatched)
			assert.Zero(t, l.Rejected)
			assert.Equal(t, 1.0, l.Seats.Max)
		})
	}
}

func TestARequestWaitsFifteenSecondsAtMost(t *testing.T) {
	for _, engine := range engines() {
		t.Run(string(engine), func(t *testing.T) {
			options := requests{get("alice", 0, time.Minute), get("alice", time.Second, time.Second), get("alice", 20*time.Second, time.Second)}.options()
			options.Engine = engine
			r := run(t, options, busy(1, 1, 1, 10)).Results[0]
			assert.Equal(t, map[string]uint64{"time-out": 2}, r.RejectedBy)
			assert.Equal(t, 1, levelOf(t, &r, "busy").MostWaiting, "one after the other")
			assert.Equal(t, uint64(1), r.Dispatched)
			assert.Equal(t, 60.0, r.Seconds, "until the last request has ended")
		})
	}
}

func TestADisplacedRequestIsRejectedOnce(t *testing.T) {
	// Two flows fill the level, and a third one displaces. The last request comes after the longest wait.
	trace := sorted(
		requests{get("alice", 0, time.Second), get("alice", 1, time.Second), get("alice", 2, time.Second), get("bob", 3, time.Second), get("bob", 4, time.Second)},
		requests{get("carol", 5, time.Second), get("alice", time.Minute, time.Second)},
	)
	r := run(t, trace.options(), busy(1, 2, 1, 2)).Results[0]
	assert.Equal(t, map[string]uint64{"queue-full": 1}, r.RejectedBy)
	assert.Equal(t, uint64(6), r.Dispatched)
}

func TestALevelWithoutQueuesRejects(t *testing.T) {
	for _, engine := range engines() {
		t.Run(string(engine), func(t *testing.T) {
			// Without a flow schema, they are on the level catch-all, which has one seat.
			candidate := busy(1, 1, 1, 2)
			candidate.Configuration.FlowSchemas = nil
			options := requests{get("alice", 0, time.Second), get("bob", time.Millisecond, time.Second)}.options()
			options.Engine = engine
			r := run(t, options, candidate).Results[0]
			assert.Equal(t, map[string]uint64{"concurrency-limit": 1}, r.RejectedBy)
			assert.Equal(t, uint64(2), levelOf(t, &r, "catch-all").Requests)
		})
	}
}

func TestALevelBorrowsWhatOthersLendAfterAPeriod(t *testing.T) {
	// The level global-default has 81 of 600 seats, and may borrow without limit.
	trace := poisson("alice", 300, 500*time.Millisecond, 40*time.Second, 3)
	for _, engine := range engines() {
		t.Run(string(engine), func(t *testing.T) {
			options := trace.options()
			options.Engine = engine
			r := run(t, options, builtIn(t, "built-in", 600)).Results[0]
			l := levelOf(t, &r, "global-default")
			assert.Equal(t, len(trace), int(l.Requests))
			assert.Greater(t, l.Limit.Max, float64(l.Nominal))
			assert.Greater(t, l.Borrowed.Mean, 10.0)
			assert.Equal(t, l.Seats.Max-float64(l.Nominal), l.Borrowed.Max)
			// The library does not bound the upper limit by the total.
			assert.Equal(t, map[simulate.EngineKind]int{simulate.APF: 600, simulate.Library: l.Nominal + 600}[engine], l.Upper)
			lender := levelOf(t, &r, "workload-low")
			assert.Positive(t, lender.Lent.Max)
			assert.Equal(t, float64(lender.Nominal)-lender.Limit.Min, lender.Lent.Max)
			assert.Zero(t, lender.Seats.Max)
		})
	}
}

func TestTheSameTraceGivesTheSameReport(t *testing.T) {
	trace := sorted(poisson("elephant", 800, 30*time.Millisecond, 20*time.Second, 1), poisson("mouse", 20, 30*time.Millisecond, 20*time.Second, 2))
	for _, engine := range engines() {
		for _, loop := range []simulate.Loop{simulate.Open, simulate.Closed} {
			t.Run(fmt.Sprint(engine, " ", loop), func(t *testing.T) {
				options := trace.options()
				options.Engine, options.Loop, options.Replicas = engine, loop, 3
				options.Progress = func(simulate.Progress) { runtime.GC() } // empties pools
				before := runtime.GOMAXPROCS(0)
				defer runtime.GOMAXPROCS(before)
				texts := map[string]bool{}
				for i := range 3 {
					runtime.GOMAXPROCS(1 + 3*i)
					text, err := json.Marshal(run(t, options, busy(7, 16, 3, 20)))
					require.NoError(t, err)
					texts[string(text)] = true
				}
				assert.Len(t, texts, 1)
			})
		}
	}
}

func TestReplicasAreSeparate(t *testing.T) {
	two := requests{get("alice", 0, time.Second), get("alice", time.Millisecond, time.Second)}
	two[0].Replica, two[1].Replica = "a", "b"
	options := two.with(func(h *trace.Header) { h.Replicas = []string{"a", "b"} })
	r := run(t, options, busy(1, 1, 1, 2)).Results[0]
	assert.Equal(t, 2, r.Replicas)
	assert.Zero(t, r.Waited)
	assert.Equal(t, configuration.Limits{Nominal: 2, Lower: 2, Upper: 2}, levelOf(t, &r, "busy").Limits)
	options.Replicas = 1
	assert.Equal(t, uint64(1), run(t, options, busy(1, 1, 1, 2)).Results[0].Waited)
	options.Replicas = 3 // not the trace's: each program keeps one
	assert.Equal(t, uint64(1), run(t, options, busy(1, 1, 1, 2)).Results[0].Waited)
	var programs requests
	for i := range 12 {
		programs = append(programs, get("alice", 0, time.Second))
		programs[i].Client = fmt.Sprint(i)
	}
	options = programs.options()
	options.Replicas = 3
	assert.Less(t, run(t, options, busy(1, 1, 1, 20)).Results[0].Wait.Max, 11.0, "programs of one user are on several")
}

func TestSeatsComeFromTheTraceOrFromTheStoredObjects(t *testing.T) {
	list := func(at time.Duration) trace.Request {
		r := get("a", at, 100*time.Millisecond)
		r.Verb = "list"
		return r
	}
	known, counted, bounded := list(0), list(time.Second), list(2*time.Second)
	known.Seats = &trace.Seats{Initial: 4, Final: 2, AdditionalLatency: metav1.Duration{Duration: 500 * time.Millisecond}}
	bounded.Seats = &trace.Seats{Initial: 50}
	// The bound of the level is 15 % of its nominal limit, six seats.
	bounded.Seats.Final, bounded.Seats.AdditionalLatency = 50, known.Seats.AdditionalLatency
	all := requests{known, counted, bounded, get("a", time.Minute, 0)}
	// The library counts the larger number of seats until the end.
	for engine, latency := range map[simulate.EngineKind]float64{simulate.APF: 2 * 0.5, simulate.Library: 4 * 0.5} {
		options := all.options()
		options.Engine = engine
		r := run(t, options, busy(40, 1, 1, 2)).Results[0]
		assert.InDelta(t, 0.4+latency+0.1+0.6+50*0.5, r.SeatSeconds, 1e-6)
		assert.Equal(t, 6.0, levelOf(t, &r, "busy").Seats.Max, "for as much longer as they are fewer")
		assert.Contains(t, r.Notes, "1 lists and watches count as one seat: the trace has neither their seats nor the number of stored objects.")
		options = all.with(func(h *trace.Header) { h.Stored = map[string]trace.Stored{"pods": {Objects: 300, Bytes: 1000}} })
		options.Engine = engine
		r = run(t, options, busy(40, 1, 1, 2)).Results[0]
		assert.InDelta(t, 0.4+latency+0.3+0.6+50*0.5, r.SeatSeconds, 1e-6)
		assert.Contains(t, r.Notes, "The seats of 1 lists and watches follow from the stored objects in the trace: the trace has no seats of theirs.")
	}
}

func TestInvalidInputIsAnError(t *testing.T) {
	fine := requests{get("a", 0, time.Second)}
	invalid := busy(1, 4, 5, 2)
	broken := errors.New("trace.jsonl: line 7 is cut off")
	for name, c := range map[string]struct {
		change    func(*simulate.Options)
		candidate *simulate.Candidate
		want      string
	}{
		"an unknown engine":        {change: func(o *simulate.Options) { o.Engine = "mine" }, want: `the engine "mine" is unknown: must be library or apf`},
		"an unknown loop":          {change: func(o *simulate.Options) { o.Loop = "half" }, want: `the loop "half" is unknown: must be open or closed`},
		"too many replicas":        {change: func(o *simulate.Options) { o.Replicas = 101 }, want: "the number of replicas is 101: must be from 0 to 100"},
		"a negative number":        {change: func(o *simulate.Options) { o.Flows = -1 }, want: "the number of flows is -1: must not be negative"},
		"an invalid configuration": {candidate: &invalid, want: `PriorityLevelConfiguration "busy" is invalid: `},
		"a trace that is cut off": {change: func(o *simulate.Options) {
			o.Open = func() (simulate.Source, error) { return &source{rest: fine, fail: broken}, nil }
		}, want: broken.Error()},
		"a trace that cannot be opened": {change: func(o *simulate.Options) {
			o.Open = func() (simulate.Source, error) { return nil, broken }
		}, want: broken.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			for _, engine := range engines() {
				options := fine.options()
				options.Engine = engine
				if c.change != nil {
					c.change(&options)
				}
				candidate := busy(1, 1, 1, 1)
				if c.candidate != nil {
					candidate = *c.candidate
				}
				_, err := simulate.Run(context.Background(), options, candidate)
				assert.ErrorContains(t, err, c.want)
			}
		})
	}
	_, err := simulate.Run(context.Background(), fine.options())
	assert.EqualError(t, err, "there is no configuration to simulate")
}

func TestAnInterruptedSimulationIsAnError(t *testing.T) {
	trace := poisson("alice", 1000, time.Millisecond, time.Minute, 1)
	ctx, cancel := context.WithCancel(context.Background())
	options := trace.options()
	var told []simulate.Progress
	options.Progress = func(p simulate.Progress) {
		told = append(told, p)
		cancel()
	}
	_, err := simulate.Run(ctx, options, busy(5, 1, 1, 10))
	require.EqualError(t, err, "the simulation was interrupted")
	require.NotEmpty(t, told)
	assert.Equal(t, int64(len(trace)), told[0].Of)
	assert.Less(t, told[0].Requests, int64(len(trace)))
	assert.Less(t, told[0].Simulated, 45*time.Second, "30 s that settle the limits, and a part of the trace")
}
