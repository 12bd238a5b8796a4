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
	require.False(t, f.set.IsOpen())
	require.Equal(t, queueset.Seated, f.set.Arrive(r))
	f.set.Finish(r)
	require.NoError(t, f.set.Inconsistency())
}

// What was overtaken and left, and is used again, has not been overtaken.
func TestARequestThatWasOvertakenAndLeftStopsTheClockAgain(t *testing.T) {
	f := newFixture(t, queues(64, 1, 10), 4)
	f.arrive("narrow", wide(1), queueset.Seated)
	one := f.arrive("wide", wide(4), queueset.Waiting)
	other := f.arrive("wide too", wide(4), queueset.Waiting)
	f.clock.Advance(300 * time.Millisecond)
	f.arrive("narrow", wide(1), queueset.Seated) // overtakes
	for _, r := range []*queueset.Request{one, other} {
		require.True(t, f.set.Leave(r, stats.Cancelled))
	}
	for _, r := range []*queueset.Request{one, other} {
		before := f.set.Figures().CurrentR
		require.Equal(t, queueset.Waiting, f.set.Arrive(r))
		f.clock.Advance(10 * time.Second)
		// Four seats for G is the work, and R stops G before its end.
		require.InDelta(t, 3*0.003, f.set.Figures().CurrentR-before, 1e-6)
		require.True(t, f.set.Leave(r, stats.Cancelled))
	}
}

// The queue of an additional latency was forgotten when the level opened, and is another
// flow's now.
func TestAnAdditionalLatencyEndsInNoQueueOfALaterTime(t *testing.T) {
	f := newFixtureWith(t, queues(512, 1, 10), 10, 1)
	first := f.arrive("first", seats.Work{Initial: 1, Final: 1, Latency: time.Second}, queueset.Seated)
	most := f.arrive("most", wide(9), queueset.Seated)
	waits := f.arrive("waits", wide(1), queueset.Waiting)
	f.set.Finish(first)
	require.True(t, f.set.Leave(waits, stats.Cancelled))
	f.set.Finish(most)
	require.True(t, f.set.IsOpen())
	for _, flow := range []string{"x", "y", "z"} {
		f.arrive(flow, wide(3), queueset.Seated)
	}
	waits = f.arrive("waits", wide(1), queueset.Waiting)
	f.clock.Advance(time.Second)
	require.True(t, dispatched(waits))
	require.NoError(t, f.set.Inconsistency())
	for _, q := range f.set.Dump().Active {
		require.Contains(t, []int{1, 3}, q.SeatsInUse)
	}
}
