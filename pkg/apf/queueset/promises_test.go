package queueset_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
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
			for range 300 {
				f.clock.Advance(10 * time.Millisecond)
				f.set.Finish(held[0])
				var started *queueset.Request
				started, line = f.startedOf(line)
				held = append(held[1:], started)
				line = append(line, f.arrive(started.Flow, wide(1), queueset.Waiting))
			}
			for i := range 100 {
				for flow := range flows {
					r := f.arrive(fmt.Sprint(flow), wide(1), queueset.Rejected)
					assert.InEpsilon(t, 20*step+time.Duration(i+1)*step, r.RetryAfter(), 0.05, "when half of the flow's are gone")
				}
			}
			for range 10_000 {
				assert.LessOrEqual(t, f.arrive("0", wide(1), queueset.Rejected).RetryAfter(), 32*time.Second)
			}
		})
	}
}

// secondly returns a fixture whose one seat has served a request of a flow in each second, the request
// that executes, and forty that wait, in their order. Others came in the place of those served if refill is set.
func secondly(t *testing.T, seconds int, refill bool) (f *fixture, running *queueset.Request, line []*queueset.Request) {
	t.Helper()
	f = newFixture(t, queues(64, 2, 20), 1)
	running = f.arrive("a", wide(1), queueset.Seated)
	for range 40 {
		line = append(line, f.arrive("a", wide(1), queueset.Waiting))
	}
	for range seconds {
		f.clock.Advance(time.Second)
		f.set.Finish(running)
		require.True(t, dispatched(line[0]))
		running, line = line[0], line[1:]
		if refill {
			line = append(line, f.arrive("a", wide(1), queueset.Waiting))
		}
	}
	return f, running, line
}

// Those who wait leave after two seconds.
func TestRejectedClientsReturnWhenThoseWhoWaitHaveLeft(t *testing.T) {
	f, running, line := secondly(t, 2, false)
	for i, r := range line[20:] {
		require.True(t, f.set.Leave(r, stats.TimeOut))
		assert.LessOrEqual(t, r.RetryAfter(), time.Duration(2+i)*time.Second, "half of their wait, and a second for each")
	}
	f.set.Finish(running)
}

// One gives up at once, or ten need no seat.
func TestClientsThatHaveGoneChangeNoPromise(t *testing.T) {
	for reason, left := range map[queueset.Reason]int{stats.Cancelled: 1, stats.Withdrawn: 10} {
		f, _, line := secondly(t, 200, true)
		f.clock.Advance(time.Millisecond)
		for _, r := range line[40-left:] {
			require.True(t, f.set.Leave(r, reason))
			f.arrive("a", wide(1), queueset.Waiting)
		}
		assert.InDelta(t, 17, f.arrive("a", wide(1), queueset.Rejected).RetryAfter().Seconds(), 0.1, "half of 32 s, and one for itself")
	}
}

// What counts is what the next request of a flow will use, not what its earlier ones did: a flow that was given nothing
// while another used ten seats for a second is given the seats of the next one, although its last request took all ten.
func TestNarrowRequestsDoNotPayForAWideOneOfTheirFlow(t *testing.T) {
	const limit = 10
	f := newFixture(t, queues(64, 2, 20), limit)
	list := f.arrive("lists", wide(limit), queueset.Seated)
	f.clock.Advance(time.Second)
	f.set.Finish(list)
	var held, line []*queueset.Request
	for range limit {
		held = append(held, f.arrive("other", wide(1), queueset.Seated))
	}
	for range 2 * limit {
		line = append(line, f.arrive("other", wide(1), queueset.Waiting), f.arrive("lists", wide(1), queueset.Waiting))
	}
	f.clock.Advance(time.Second)
	started := map[string]int{}
	for _, r := range held {
		f.set.Finish(r)
		r, line = f.startedOf(line)
		started[r.Flow]++
	}
	assert.GreaterOrEqual(t, started["lists"], limit-1, "all that it is owed, less one request")
}
