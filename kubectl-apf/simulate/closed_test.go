package simulate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
)

// worker returns the requests of a client that thinks for a while after each answer.
func worker(user string, count int, execution, think time.Duration) requests {
	var out requests
	for i := range count {
		out = append(out, get(user, time.Duration(i)*(execution+think), execution))
	}
	return out
}

func closedLoop(trace requests) simulate.Options {
	options := trace.options()
	options.Loop = simulate.Closed
	return options
}

func TestClientsThatWaitSendLess(t *testing.T) {
	// Ten workers that never think; one executes at a time.
	var parts []requests
	for range 10 {
		parts = append(parts, worker("alice", 60, time.Second, 0))
	}
	trace := sorted(parts...)
	open := run(t, trace.options(), busy(1, 1, 1, 100)).Results[0]
	assert.Equal(t, uint64(600), open.Requests)
	assert.NotZero(t, open.Rejected, "in an open loop they do not wait for each other")
	closed := run(t, closedLoop(trace), busy(1, 1, 1, 100)).Results[0]
	assert.Zero(t, closed.Rejected)
	assert.InDelta(t, 70, closed.Requests, 2, "one a second, and the ones that wait at the end")
	assert.Equal(t, int64(600)-int64(closed.Requests), closed.NotSent)
	assert.InDelta(t, 9, closed.Wait.P50, 0.2, "each waits for the nine others")
}

func TestClientsThinkAsLongAsInTheTrace(t *testing.T) {
	// Two clients of 100 ms with pauses of 400 ms on one seat: nobody waits, because the second one
	// begins later. The load equals the trace's.
	a, b := worker("a", 100, 100*time.Millisecond, 400*time.Millisecond), worker("b", 100, 100*time.Millisecond, 400*time.Millisecond)
	for i := range b {
		b[i].Arrival = b[i].Arrival.Add(200 * time.Millisecond)
	}
	for _, engine := range engines() {
		options := closedLoop(sorted(a, b))
		options.Engine = engine
		r := run(t, options, busy(1, 4, 1, 10)).Results[0]
		assert.Equal(t, uint64(200), r.Requests)
		assert.Zero(t, r.Waited)
		assert.Zero(t, r.NotSent)
		assert.InDelta(t, 50, r.Seconds, 0.5)
	}
}

func TestARejectedRequestIsRepeatedAfterASecond(t *testing.T) {
	// The seat is in use for 3.5 s, and one request may wait.
	trace := requests{get("a", 0, 3500*time.Millisecond), get("b", 100*time.Millisecond, time.Second), get("c", 200*time.Millisecond, time.Second)}
	trace = append(trace, get("d", time.Minute, time.Millisecond))
	r := run(t, closedLoop(trace), busy(1, 1, 1, 1)).Results[0]
	// c is rejected at 0.2, 1.2, 2.2 and 3.2 s, and waits from 4.2 s on until b ends at 4.5 s.
	assert.Equal(t, map[string]uint64{"queue-full": 4}, r.RejectedBy)
	assert.Equal(t, uint64(4), r.Retries)
	assert.Equal(t, uint64(4), r.Dispatched)
	assert.InDelta(t, 3.4, r.Wait.Max, 0.01)
	assert.InDelta(t, 0.3, r.Flows[2].Wait.Max, 0.01)
}

func TestAClientGivesUpAfterTenRepetitions(t *testing.T) {
	candidate := busy(1, 1, 1, 1)
	candidate.Configuration.FlowSchemas = nil // the level catch-all, without queues
	trace := requests{get("a", 0, 30*time.Second), get("b", time.Second, time.Second), get("d", time.Minute, time.Millisecond)}
	r := run(t, closedLoop(trace), candidate).Results[0]
	assert.Equal(t, map[string]uint64{"concurrency-limit": 11}, r.RejectedBy)
	assert.Equal(t, uint64(10), r.Retries)
}

func TestRequestsThatWereRejectedInTheTraceAreLeftOut(t *testing.T) {
	trace := requests{get("a", 0, 0), get("a", time.Second, time.Second)}
	trace[0].Rejected = "queue-full"
	r := run(t, closedLoop(trace), busy(1, 1, 1, 1)).Results[0]
	assert.Equal(t, uint64(1), r.Requests)
	assert.Contains(t, r.Notes, "1 requests that were rejected in the trace are left out: the requests that repeat them are in the trace.")
}

func TestARejectedRequestIsSentWhenItWasFirstSentInTheTrace(t *testing.T) {
	// One worker is busy for 10 s. Another one is rejected each second, until the end.
	trace := worker("a", 10, time.Second, 0)
	for i := range 9 {
		rejected := get("a", 500*time.Millisecond+time.Duration(i)*time.Second, 0)
		rejected.Rejected = "queue-full"
		trace = append(trace, rejected)
	}
	trace = sorted(append(trace, get("a", 9500*time.Millisecond, time.Second)))
	r := run(t, closedLoop(trace), busy(2, 1, 1, 1)).Results[0]
	assert.Equal(t, 2.0, levelOf(t, &r, "busy").Seats.Max, "with seats for both, nobody is rejected")
	assert.Equal(t, uint64(11), r.Requests)
}

func TestAFasterServerMakesClientsFaster(t *testing.T) {
	// In the trace, each request waited for a second. Without these waits, the worker has
	// sent them all in half of the time.
	trace := worker("a", 20, 2*time.Second, 0)
	for i := range trace {
		trace[i].Execution.Duration = time.Second
		trace[i].Wait = trace[i].Execution
	}
	r := run(t, closedLoop(trace), busy(1, 1, 1, 1)).Results[0]
	assert.Equal(t, uint64(20), r.Dispatched)
	assert.InDelta(t, 20, levelOf(t, &r, "busy").Seats.Mean*r.Seconds, 0.01, "all executed one after the other")
	assert.Equal(t, 1.0, levelOf(t, &r, "busy").Seats.Max)
}
