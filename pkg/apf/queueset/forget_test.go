package queueset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// A level at rest restarts: what a queue owes then is owed to nobody.
func TestAnIdleLevelForgetsWhatItsQueuesOwe(t *testing.T) {
	one := seats.Work{Initial: 1}
	for _, test := range []struct {
		name  string
		idle  bool
		first string // of the two flows, the next time that both wait
	}{
		{"the flow that arrived first is served first after a rest", true, "heavy"},
		{"the flow that owes nothing is served first without a rest", false, "light"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, queues(512, 1, 10), 1)
			heavy := f.arrive("heavy", one, queueset.Seated)
			light := f.arrive("light", one, queueset.Waiting)
			f.clock.Advance(10 * time.Second)
			var blocker *queueset.Request
			if !test.idle {
				blocker = f.arrive("other", one, queueset.Waiting)
			}
			require.True(t, f.set.Leave(light, stats.Cancelled))
			f.set.Finish(heavy) // heavy had the seat for 10 s, and its share was half of that
			require.Equal(t, test.idle, f.set.Idle())
			if test.idle {
				blocker = f.arrive("other", one, queueset.Seated)
			} else {
				require.True(t, dispatched(blocker))
			}
			waiting := map[string]*queueset.Request{}
			for _, flow := range []string{"heavy", "light"} {
				waiting[flow] = f.arrive(flow, one, queueset.Waiting)
			}
			f.set.Finish(blocker)
			for flow, r := range waiting {
				require.Equal(t, flow == test.first, dispatched(r), flow)
			}
		})
	}
}

// A request that is used again was a request of the queue that it had left.
func TestARequestThatLeftIsForgottenByItsQueue(t *testing.T) {
	f := newFixture(t, queues(8, 1, 10), 4)
	held := []*queueset.Request{f.arrive("a", wide(1), queueset.Seated), f.arrive("b", wide(3), queueset.Seated)}
	r := f.arrive("c", wide(1), queueset.Waiting)
	require.True(t, f.set.Leave(r, stats.Cancelled))
	f.configure(rejecting(), limits(4))
	f.set.Finish(held[0])
	require.Equal(t, queueset.Seated, f.set.Arrive(r))
	f.set.Finish(r)
	require.NoError(t, f.set.Inconsistency())
}
