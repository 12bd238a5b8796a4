package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

func closedLoop(all requests) simulate.Options {
	options := all.options()
	options.Loop = simulate.Closed
	return options
}

func TestClientsThatWaitSendLess(t *testing.T) {
	// Ten workers that never think; one executes at a time.
	var trace requests
	for i := range 600 {
		trace = append(trace, get("alice", time.Duration(i/10)*time.Second, time.Second))
	}
	open := run(t, trace.options(), busy(1, 1, 1, 100)).Results[0]
	assert.Equal(t, uint64(600), open.Requests)
	assert.NotZero(t, open.Rejected, "in an open loop they do not wait for each other")
	closed := run(t, closedLoop(trace), busy(1, 1, 1, 100)).Results[0]
	assert.Zero(t, closed.Rejected)
	assert.InDelta(t, 70, closed.Requests, 2, "one a second, and the ones that wait at the end")
	assert.Equal(t, int64(600)-int64(closed.Requests), closed.NotSent)
	assert.InDelta(t, 9, closed.Wait.P50, 0.2, "each waits for the nine others")
}

// One seat is a server, first come, first served, whose clients have one worker each: they think as long as they did in the
// trace, whatever the requests waited there, and however often they were rejected.
func TestAClosedLoopIsAServerWithThinkingClients(t *testing.T) {
	type visit struct{ think, service time.Duration }
	random := rand.New(rand.NewPCG(lane.Seed(t), 3))
	some := func(most time.Duration) time.Duration { return time.Duration(random.Int64N(int64(most))) }
	for range lane.Pick(20, 500) {
		all := requests{get("late", 10*time.Minute, 0)} // all have ended before
		clients := make([][]visit, 2+random.IntN(5))
		next := make([]time.Duration, len(clients)) // arrivals
		for c := range clients {
			at := time.Duration(0)
			add := func(execution time.Duration) *trace.Request {
				all = append(all, get("alice", at, execution))
				one := &all[len(all)-1]
				one.Client = fmt.Sprint(c)
				return one
			}
			for range 1 + random.IntN(10) {
				v := visit{some(3 * time.Second), some(time.Second)}
				clients[c] = append(clients[c], v)
				at += v.think
				for range random.IntN(5) / 3 {
					add(0).Rejected = "queue-full"
					at += time.Second + some(time.Second)
				}
				wait := some(2 * time.Second)
				add(v.service).Wait = &metav1.Duration{Duration: wait}
				at += wait + v.service
			}
			next[c] = clients[c][0].think
		}
		var free, sum, most time.Duration
		sent := 1
		for {
			c := -1
			for i := range clients {
				if len(clients[i]) > 0 && (c < 0 || next[i] < next[c]) {
					c = i
				}
			}
			if c < 0 {
				break
			}
			sent++
			wait := max(0, free-next[c])
			sum, most = sum+wait, max(most, wait)
			free = next[c] + wait + clients[c][0].service
			if clients[c] = clients[c][1:]; len(clients[c]) > 0 {
				next[c] = free + clients[c][0].think
			}
		}
		for _, engine := range engines() {
			options := closedLoop(sorted(all))
			options.Engine = engine
			r := run(t, options, busy(1, 1, 1, 1000)).Results[0]
			assert.Equal(t, sent, int(r.Dispatched))
			assert.InDelta(t, most.Seconds(), r.Wait.Max, 1e-9)
			assert.InDelta(t, sum.Seconds(), r.Wait.Mean*float64(sent), 1e-6)
		}
	}
}

// A client has as many workers as it had requests in progress.
func TestTheWorkerThatIsIdle(t *testing.T) {
	rejected := get("a", 0, 0)
	rejected.Rejected = "queue-full"
	for name, test := range map[string]struct {
		trace   requests
		waited  uint64
		longest float64
		says    string
	}{
		// The second of a waits for half a second, so its worker, which is idle last and sends the third, is later.
		"the one that is idle last": {requests{get("a", 0, time.Second), get("a", 500*time.Millisecond, 2500*time.Millisecond), get("a", 4*time.Second, time.Second),
			get("b", 4250*time.Millisecond, 2*time.Second), get("b", time.Minute, 0)}, 2, 1.75, ""},
		// It repeats its request at 1.3 s, so another worker sends at 0.5 s.
		"one whose request was rejected is busy for a second": {requests{rejected, get("a", 500*time.Millisecond, time.Second), get("a", 1300*time.Millisecond, time.Second)}, 1, 0.5,
			"1 requests that were rejected in the trace are left out: the requests that repeat them are in the trace."},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, closedLoop(test.trace), busy(1, 1, 1, 10)).Results[0]
			assert.Equal(t, test.waited, r.Waited)
			assert.InDelta(t, test.longest, r.Wait.Max, 1e-9)
			if test.says != "" {
				assert.Contains(t, r.Notes, test.says)
			}
		})
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
