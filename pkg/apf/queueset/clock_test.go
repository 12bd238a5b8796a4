package queueset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

func TestTheClockDoesNotLeadARequestThatWaits(t *testing.T) {
	f := newFixture(t, queues(64, 1, 10), 4)
	f.arrive("a", wide(4), queueset.Seated)
	f.arrive("b", wide(2), queueset.Waiting)
	before := f.set.Figures().CurrentR
	f.clock.Advance(time.Minute)
	g := queueset.ServiceTimeGuess.Seconds()
	assert.InDelta(t, before+2*g-g, f.set.Figures().CurrentR, 1e-9, "where b ends, less G")
}

// The flow a uses three seats for a second, while R stands still for c. R then
// advances at 2/3 until it is G before S of a, and at 2/2 from then on.
func TestAQueueThatOverranItsShareCountsUntilTheClockReachesIt(t *testing.T) {
	for name, steps := range map[string]int{"in one step": 1, "in many steps": 1000} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, queues(64, 1, 10), 4)
			a := f.arrive("a", wide(3), queueset.Seated)
			f.arrive("b", wide(1), queueset.Seated)
			c := f.arrive("c", wide(1), queueset.Waiting)
			f.clock.Advance(time.Second)
			f.set.Finish(a)
			require.True(t, dispatched(c))
			before := f.set.Figures().CurrentR
			for range steps {
				f.clock.Advance(10 * time.Second / time.Duration(steps))
				require.NoError(t, f.set.Inconsistency())
				f.set.Figures()
			}
			counted := 3 - queueset.ServiceTimeGuess.Seconds()
			assert.InDelta(t, before+counted+(10-counted*3/2), f.set.Figures().CurrentR, 1e-5)
		})
	}
}

func TestAQueueThatOverranItsShareKeepsWhatItOwes(t *testing.T) {
	f := newFixture(t, queues(64, 1, 10), 4)
	a := f.arrive("a", wide(3), queueset.Seated)
	b := f.arrive("b", wide(1), queueset.Seated)
	first := f.arrive("c", wide(4), queueset.Waiting)
	f.clock.Advance(time.Second)
	f.set.Finish(a)
	owing := f.arrive("a", wide(1), queueset.Waiting)
	other := f.arrive("d", wide(4), queueset.Waiting)
	require.NoError(t, f.set.Inconsistency())
	f.set.Finish(b)
	require.True(t, dispatched(first))
	f.clock.Advance(time.Second / 2)
	f.set.Finish(first)
	assert.True(t, dispatched(other))
	assert.False(t, dispatched(owing))
}
