package flowcontrol_test

import (
	"testing"
	"time"

	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	testeventclock "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/testing/eventclock"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// TestFinalSeatsAreLimitedWithoutQueues starts a write with many watchers on a priority level that
// has one seat. Its final seats are reduced, and it lingers for as much longer.
func TestFinalSeatsAreLimitedWithoutQueues(t *testing.T) {
	begin := time.Now()
	clk, _ := testeventclock.NewFake(begin, 0, nil)
	qs := newQueueSet(t, clk, fq.QueuingConfig{Name: "narrow"}, 1)
	expectSeats := func(expected int) {
		t.Helper()
		if actual := qs.Dump(false).SeatsInUse; actual != expected {
			t.Errorf("After %v: expected %d seats in use of a limit of 1, got %d", clk.Since(begin), expected, actual)
		}
	}
	estimate := &fcrequest.WorkEstimate{InitialSeats: 1, FinalSeats: 10, AdditionalLatency: 5 * time.Millisecond}
	req, _ := qs.StartRequest(t.Context(), estimate, 0, "", "fs", "", "", nil)
	expectSeats(1)
	req.Finish(func() {})
	clk.SetTime(begin.Add(49 * time.Millisecond))
	expectSeats(1)
	clk.SetTime(begin.Add(51 * time.Millisecond))
	expectSeats(0)
}
