package flowcontrol_test

import (
	"testing"
	"time"

	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	testeventclock "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/testing/eventclock"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// TestQueueIsRemovedOnce finishes a request that lingers on its seats, and then the last request of
// the same queue, which is no longer desired. The panic is in the goroutine of the event.
func TestQueueIsRemovedOnce(t *testing.T) {
	clk, _ := testeventclock.NewFake(time.Now(), 0, nil)
	qs := newQueueSet(t, clk, fq.QueuingConfig{Name: "shrinking", DesiredNumQueues: 3, QueueLengthLimit: 10, HandSize: 1}, 10)
	start := func(lingers time.Duration) fq.Request {
		estimate := &fcrequest.WorkEstimate{InitialSeats: 1, FinalSeats: 1, AdditionalLatency: lingers}
		req, _ := qs.StartRequest(t.Context(), estimate, 2, "", "fs", "", "", nil) // hash 2 has the last queue
		return req
	}
	write, read := start(time.Second), start(0)

	completer, err := qs.BeginConfigChange(fq.QueuingConfig{Name: "shrinking", DesiredNumQueues: 1, QueueLengthLimit: 10, HandSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	completer.Complete(fq.DispatchingConfig{ConcurrencyLimit: 10, ConcurrencyDenominator: 10})
	write.Finish(func() {})
	read.Finish(func() {})
	clk.Run(nil)
	if dump := qs.Dump(false); len(dump.Queues) != 2 || dump.SeatsInUse != 0 {
		t.Errorf("Expected 2 queues and no seats in use, got %d queues and %d seats", len(dump.Queues), dump.SeatsInUse)
	}
}
