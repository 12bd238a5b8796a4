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
			options := requests{get("alice", 0, time.Minute), get("alice", time.Second, time.Second)}.options()
			options.Engine = engine
			r := run(t, options, busy(1, 1, 1, 10)).Results[0]
			assert.Equal(t, map[string]uint64{"time-out": 1}, r.RejectedBy)
			assert.Equal(t, uint64(1), r.Dispatched)
			assert.Equal(t, 60.0, r.Seconds, "until the last request has ended")
		})
	}
}

func TestAFullQueueRejects(t *testing.T) {
	for _, engine := range engines() {
		t.Run(string(engine), func(t *testing.T) {
			var trace requests
			for i := range 5 {
				trace = append(trace, get("alice", time.Duration(i)*time.Millisecond, time.Second))
			}
			options := trace.options()
			options.Engine = engine
			r := run(t, options, busy(1, 1, 1, 2)).Results[0]
			assert.Equal(t, map[string]uint64{"queue-full": 2}, r.RejectedBy)
			assert.Equal(t, uint64(3), r.Dispatched)
			assert.InDelta(t, 1.998, r.Wait.Max, 1e-6)
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
	trace := poisson("alice", 3000, 50*time.Millisecond, 40*time.Second, 3)
	for _, engine := range engines() {
		t.Run(string(engine), func(t *testing.T) {
			options := trace.options()
			options.Engine = engine
			r := run(t, options, builtIn(t, "built-in", 600)).Results[0]
			l := levelOf(t, &r, "global-default")
			assert.Equal(t, len(trace), int(l.Requests))
			assert.Greater(t, l.Limit.Max, float64(l.Nominal))
			assert.Greater(t, l.Borrowed.Mean, 10.0)
			lender := levelOf(t, &r, "workload-low")
			assert.Positive(t, lender.Lent.Max)
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
	trace := requests{get("alice", 0, time.Second), get("alice", time.Millisecond, time.Second)}
	trace[0].Replica, trace[1].Replica = "a", "b"
	options := trace.options()
	open := options.Open
	options.Open = func() (simulate.Source, error) {
		s, err := open()
		s.(*source).header.Replicas = []string{"a", "b"}
		return s, err
	}
	r := run(t, options, busy(1, 1, 1, 2)).Results[0]
	assert.Equal(t, 2, r.Replicas)
	assert.Zero(t, r.Waited)
	assert.Equal(t, 2, levelOf(t, &r, "busy").Nominal)
	options.Replicas = 1
	assert.Equal(t, uint64(1), run(t, options, busy(1, 1, 1, 2)).Results[0].Waited)
}

func TestServiceTimesThatTheTraceLacksAreMediansOfTheirKind(t *testing.T) {
	trace := requests{get("a", 0, 100*time.Millisecond), get("a", time.Second, 300*time.Millisecond), get("a", 2*time.Second, 0), get("a", 3*time.Second, 0), get("a", 4*time.Second, 0)}
	trace[2].Execution, trace[2].Latency, trace[2].Wait = nil, &metav1.Duration{Duration: 3 * time.Second}, &metav1.Duration{Duration: time.Second}
	trace[3].Execution = nil
	trace[4].Rejected = "queue-full"
	r := run(t, trace.options(), busy(10, 1, 1, 2)).Results[0]
	assert.InEpsilon(t, 0.1+0.3+2+0.3+0.3, r.SeatSeconds, 0.02)
	assert.Contains(t, r.Notes, "The execution of 1 requests is their latency less their wait: the trace has no execution of theirs.")
	assert.Contains(t, r.Notes, "The execution of 2 requests is the median of their kind: the trace has none, or they were rejected then.")
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
	options := requests{known, counted, bounded}.options()
	r := run(t, options, busy(40, 1, 1, 2)).Results[0]
	// The bound of the level is 15 % of its nominal limit.
	assert.InDelta(t, 0.4+1.0+0.1+0.6, r.SeatSeconds, 1e-6)
	assert.Contains(t, r.Notes, "1 lists and watches count as one seat: the trace has neither their seats nor the number of stored objects.")
	open := options.Open
	options.Open = func() (simulate.Source, error) {
		s, err := open()
		s.(*source).header.Stored = map[string]trace.Stored{"pods": {Objects: 300, Bytes: 1000}}
		return s, err
	}
	r = run(t, options, busy(40, 1, 1, 2)).Results[0]
	assert.InDelta(t, 0.4+1.0+0.3+0.6, r.SeatSeconds, 1e-6)
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
		"an unknown engine":        {change: func(o *simulate.Options) { o.Engine = "mine" }, want: `the engine "mine" is unknown: must be upstream or ours`},
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
}
