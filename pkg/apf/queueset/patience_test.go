package queueset_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// A flow sends twice as much as is served. Most of its clients leave after two seconds, some never do.
// The server knows it from those who left before, or from deadlines.
func TestNobodyExecutesForThoseWhoHaveLeft(t *testing.T) {
	t.Run("clients leave", func(t *testing.T) { testLeaving(t, 2*time.Second, stats.Cancelled, func(*queueset.Request) {}) })
	t.Run("deadlines", func(t *testing.T) {
		testLeaving(t, 2*time.Second, stats.TimeOut, func(r *queueset.Request) { r.SetDeadline(2 * time.Second) })
	})
}

func testLeaving(t *testing.T, patience time.Duration, reason queueset.Reason, told func(*queueset.Request)) {
	t.Helper()
	f := newFixture(t, queues(64, 6, 50), 2)
	random := rand.New(rand.NewPCG(4, 9))
	useless, served, patient := 0, 0, 0
	for i := range 1200 {
		stays := i%20 == 0
		r := f.request("a", wide(1))
		execute := func() {
			f.clock.AfterFunc(time.Duration(100+random.IntN(200))*time.Millisecond, func() {
				switch took := f.clock.Now() - r.Arrived(); {
				case stays:
					patient++
					assert.Less(t, took, 3*patience)
				case took > patience:
					useless++
				default:
					served++
				}
				f.set.Finish(r)
			})
		}
		r.Decided = func() {
			if r.Displaced() {
				return // its deadline is too near
			}
			execute()
		}
		switch outcome := f.set.Arrive(r); {
		case outcome == queueset.Seated:
			execute()
		case outcome == queueset.Rejected:
			if stays {
				patient++ // it returns in time
			}
		case !stays:
			told(r)
			f.clock.AfterFunc(patience, func() { f.set.Leave(r, reason) })
		}
		f.clock.Advance(50 * time.Millisecond)
		require.NoError(t, f.set.Inconsistency())
	}
	f.clock.Advance(time.Minute)
	assert.Equal(t, 60, patient, "clients that stay are served")
	assert.Greater(t, served, 450)
	assert.LessOrEqual(t, useless, (served+useless)/50)
	assert.True(t, f.set.Idle())
}

// On a level where another flow lists for seconds, half a second is enough for a read.
func TestWhatRequestsTakeIsKnownForEachFlow(t *testing.T) {
	f := newFixture(t, queues(64, 6, 50), 1)
	running := f.arrive("lists", wide(1), queueset.Seated)
	var reads []*queueset.Request
	for range 10 {
		reads = append(reads, f.arrive("reads", wide(1), queueset.Waiting))
	}
	f.clock.Advance(3 * time.Second)
	for _, next := range reads {
		next.SetDeadline(f.clock.Now() - next.Arrived() + 500*time.Millisecond)
		f.set.Finish(running)
		require.True(t, dispatched(next), "no other passes it")
		running = next
		f.clock.Advance(10 * time.Millisecond)
	}
	f.set.Finish(running)
}

// A flow that nothing is known of is taken for one like others once: its second request executes, and shows what it needs.
func TestOthersSayOnceThatANewFlowMissesItsDeadline(t *testing.T) {
	f := newFixture(t, queues(64, 6, 50), 1)
	var running *queueset.Request
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		running = f.arrive(name, wide(1), queueset.Seated)
		f.clock.Advance(5 * time.Second)
		f.set.Finish(running)
	}
	executes := func() bool {
		running = f.arrive("i", wide(1), queueset.Seated)
		f.clock.Advance(5 * time.Second)
		r := f.arrive("reads", wide(1), queueset.Waiting)
		r.SetDeadline(time.Second)
		f.set.Finish(running)
		require.True(t, dispatched(r), "decided")
		return !r.Displaced()
	}
	assert.False(t, executes(), "others took 5 s")
	assert.True(t, executes())
}

// Clocks of servers and clients differ: a deadline may have passed before the request arrives.
func TestPastDeadlinesStarveNobody(t *testing.T) {
	f := newFixture(t, queues(64, 6, 50), 1)
	running := f.arrive("a", wide(1), queueset.Seated)
	var line []*queueset.Request
	for i := range 200 {
		r := f.arrive("a", wide(1), queueset.Waiting)
		r.SetDeadline(-time.Duration(i) * time.Hour)
		line = append(line, r)
	}
	for range line {
		f.clock.Advance(time.Second)
		f.set.Finish(running)
		running, line = f.startedOf(line)
	}
	f.set.Finish(running)
	assert.True(t, f.set.Idle())
	require.NoError(t, f.set.Inconsistency())
}

// A deadline may be wrong: who waits for longer has more patience, and is served in its turn.
func TestWhoOutstaysADeadlineIsServedWhileOthersCome(t *testing.T) {
	f := newFixture(t, queues(64, 6, 50), 1)
	running := f.arrive("a", wide(1), queueset.Seated)
	patient := f.arrive("a", wide(1), queueset.Waiting)
	patient.SetDeadline(2 * time.Second)
	line := []*queueset.Request{patient}
	for served := 0; running != patient; served++ {
		require.Less(t, served, 6, "passed until its deadline")
		line = append(line, f.arrive("a", wide(1), queueset.Waiting))
		f.clock.Advance(time.Second)
		f.set.Finish(running)
		running, line = f.startedOf(line)
	}
}

// A deadline beyond the range of the clock is none.
func TestAFarDeadlineMovesNobody(t *testing.T) {
	f := newFixture(t, queues(64, 6, 50), 1)
	f.clock.Advance(time.Second)
	running := f.arrive("a", wide(1), queueset.Seated)
	first, second := f.arrive("a", wide(1), queueset.Waiting), f.arrive("a", wide(1), queueset.Waiting)
	first.SetDeadline(math.MaxInt64)
	f.set.Finish(running)
	assert.True(t, dispatched(first))
	assert.False(t, dispatched(second))
}

// When a level closes, what executes for long tells what the others of the only flow will take.
func TestWhatExecutesWhenALevelClosesIsKnown(t *testing.T) {
	f := newFixture(t, queues(64, 6, 50), 1)
	f.arrive("a", wide(1), queueset.Seated)
	f.clock.Advance(10 * time.Second)
	hasty := f.arrive("a", wide(1), queueset.Waiting)
	hasty.SetDeadline(15 * time.Second)
	other := f.arrive("a", wide(1), queueset.Waiting)
	f.set.SetLimits(limits(2)).Tell()
	assert.True(t, dispatched(other), "it takes 20 s")
	assert.False(t, dispatched(hasty))
}
