package queueset_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// Ten seats serve a request of a flow in each 10 ms, and of two flows in each 20 ms.
func TestRejectedClientsReturnOneAfterTheOtherAtTheRateOfTheirFlow(t *testing.T) {
	for flows, step := range map[int]time.Duration{1: 10 * time.Millisecond, 2: 20 * time.Millisecond} {
		t.Run(fmt.Sprint(flows, " flows"), func(t *testing.T) {
			f := newFixture(t, queues(64, 2, 20), 10)
			var held []*queueset.Request
			for i := range 10 {
				held = append(held, f.arrive(fmt.Sprint(i%flows), wide(1), queueset.Seated))
			}
			var line []*queueset.Request
			for i := range 40 * flows {
				line = append(line, f.arrive(fmt.Sprint(i%flows), wide(1), queueset.Waiting))
			}
			for range 30 {
				f.clock.Advance(100 * time.Millisecond)
				for _, r := range held {
					f.set.Finish(r)
				}
				held = held[:0]
				var rest []*queueset.Request
				for _, r := range line {
					if dispatched(r) {
						held = append(held, r)
					} else {
						rest = append(rest, r)
					}
				}
				line = rest
				for i := range len(held) {
					line = append(line, f.arrive(fmt.Sprint(i%flows), wide(1), queueset.Waiting))
				}
			}
			for i := range time.Duration(100) {
				for flow := range flows {
					r := f.arrive(fmt.Sprint(flow), wide(1), queueset.Rejected)
					assert.InEpsilon(t, 20*step+(i+1)*step/2, r.RetryAfter(), 0.1, "when half of the flow's are gone")
				}
			}
			for range 10_000 {
				assert.LessOrEqual(t, f.arrive("0", wide(1), queueset.Rejected).RetryAfter(), 32*time.Second)
			}
		})
	}
}
