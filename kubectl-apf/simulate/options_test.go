package simulate_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
)

func TestTheWarmUpIsSimulatedAndNotCounted(t *testing.T) {
	// 20 requests wait for one seat when the second minute begins, where bob sends two.
	trace := requests{get("alice", 0, time.Millisecond)}
	for i := range 20 {
		trace = append(trace, get("alice", 58*time.Second+time.Duration(i)*time.Millisecond, 500*time.Millisecond))
	}
	trace = append(trace, get("bob", time.Minute, time.Second), get("bob", 2*time.Minute, time.Second))
	for _, engine := range engines() {
		t.Run(string(engine), func(t *testing.T) {
			options := trace.options()
			options.Engine, options.WarmUp = engine, time.Minute
			report := run(t, options, busy(1, 1, 1, 100))
			r := report.Results[0]
			assert.Equal(t, start().Add(time.Minute), report.Trace.Start)
			assert.InDelta(t, 61, r.Seconds, 1)
			assert.Equal(t, uint64(2), r.Requests)
			assert.Equal(t, uint64(2), r.Dispatched)
			assert.InDelta(t, 8, r.Wait.Max, 1e-6, "bob waits for requests of the warm-up")
			l := levelOf(t, &r, "busy")
			assert.Equal(t, uint64(2), l.Requests)
			assert.InDelta(t, 17, l.MostWaiting, 1)
			assert.InDelta(t, 10, l.Seats.Mean*r.Seconds, 0.01, "8 s of the warm-up's requests")
			assert.Len(t, r.Flows, 1)
			assert.Contains(t, r.Notes, "The first 1m0s of the trace are not counted.")

			options.WarmUp = 3 * time.Minute
			_, err := simulate.Run(context.Background(), options, busy(1, 1, 1, 100))
			assert.EqualError(t, err, "the trace has requests for 2m0s only: must be longer than the warm-up of 3m0s")
			options.WarmUp = -time.Second
			_, err = simulate.Run(context.Background(), options, busy(1, 1, 1, 100))
			assert.EqualError(t, err, "the warm-up is -1s: must not be negative")
		})
	}
}
