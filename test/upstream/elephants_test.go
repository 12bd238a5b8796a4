package flowcontrol_test

import (
	"context"
	"math/rand"
	"testing"
	"time"

	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	testeventclock "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/testing/eventclock"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// TestMiceBesideElephants fills all queues of the hands of 16 elephants. A mouse sends one request,
// and is rejected if elephants hold its whole hand.
func TestMiceBesideElephants(t *testing.T) {
	clk, _ := testeventclock.NewFake(time.Now(), 0, nil)
	qs := newQueueSet(t, clk, fq.QueuingConfig{Name: "shared", DesiredNumQueues: 64, QueueLengthLimit: 1, HandSize: 10}, 1)
	hashes := rand.New(rand.NewSource(1))
	send := func(ctx context.Context, hash uint64) fq.Request {
		req, _ := qs.StartRequest(ctx, &fcrequest.WorkEstimate{InitialSeats: 1}, hash, "", "fs", "", "", nil)
		return req
	}
	const elephants, mice = 16, 1000
	for range elephants {
		hash := hashes.Uint64()
		for send(t.Context(), hash) != nil { // until all its queues are full
		}
	}
	rejected := 0
	for range mice {
		ctx, leave := context.WithCancel(t.Context())
		req := send(ctx, hashes.Uint64())
		leave()
		if req == nil {
			rejected++
			continue
		}
		req.Finish(func() {})
	}
	if rejected > 0 {
		t.Errorf("Expected no mouse to be rejected beside %d elephants, got %d of %d", elephants, rejected, mice)
	}
}
