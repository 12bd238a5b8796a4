package queueset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// What a flow used beyond its share is owed to those who wait, and to nobody once none does.
func TestWhatAFlowOwesIsForgottenWhenNobodyWaits(t *testing.T) {
	for name, waits := range map[string]bool{"nobody waits": false, "somebody waits": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, queues(512, 1, 10), 1)
			heavy := f.arrive("heavy", wide(1), queueset.Seated)
			first := f.arrive("first", wide(1), queueset.Waiting)
			var line []*queueset.Request
			if waits {
				line = append(line, f.arrive("other", wide(1), queueset.Waiting))
			}
			f.clock.Advance(10 * time.Second)
			f.set.Finish(heavy) // heavy had the seat for 10 s, and its share was less
			require.True(t, dispatched(first))
			again := f.arrive("heavy", wide(1), queueset.Waiting)
			line = append(line, f.arrive("light", wide(1), queueset.Waiting))
			f.set.Finish(first)
			if !waits {
				assert.True(t, dispatched(again), "it arrived first")
				return
			}
			for range line {
				var running *queueset.Request
				running, line = f.startedOf(line)
				require.False(t, dispatched(again))
				f.set.Finish(running)
			}
			assert.True(t, dispatched(again))
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
