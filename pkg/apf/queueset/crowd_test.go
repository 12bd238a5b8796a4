// One goroutine, in virtual time: the race detector would take forty times as long and find nothing.

//go:build !race

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

// The table of the Kubernetes concept page says how likely elephants crush a mouse: 99 % for 16
// of them and hands of 12 out of 32 queues. On a level of a single queue, one is enough.
func TestNoNumberOfElephantsCrushesAMouse(t *testing.T) {
	const limit, mice = 20, 40
	mouse := client{threads: 1, exec: 20 * time.Millisecond, think: 1980 * time.Millisecond, work: wide(1)} // 1000 elephants have 18 ms in a second each
	for _, config := range []queueset.Config{queues(32, 12, 5), queues(64, 10, 5), queues(512, 6, 5), queues(64, 6, 50), queues(1, 1, 100)} {
		for _, elephants := range []int{1, 16, 150, 1000} {
			t.Run(fmt.Sprintf("hands of %d out of %d queues of %d, %d elephants", config.HandSize, config.Queues, config.QueueLengthLimit, elephants), func(t *testing.T) {
				var clients []client
				for i := range mice {
					c := mouse
					// In the first second none of 1000 elephants has used more than a mouse.
					c.flow, c.from = fmt.Sprint("mouse", i), 1500*time.Millisecond+time.Duration(i)*13*time.Millisecond
					clients = append(clients, c)
				}
				for i := range elephants {
					clients = append(clients, client{
						flow: fmt.Sprint("elephant", i), threads: max(2, min(400, 2000/elephants)), exec: 20 * time.Millisecond, work: wide(1), dropRejections: true,
					})
				}
				s := newSimulation(t, config, limit, clients...)
				longest, served := time.Duration(0), 0
				s.onStart = func(r *queueset.Request) {
					if r.Flow[0] == 'm' {
						longest, served = max(longest, s.clock.Now()-r.Arrived()), served+1
					}
				}
				s.advance(5 * time.Second)
				// The seats in use, and a request of each flow. Mice do not wait longer because others are many.
				assert.LessOrEqual(t, longest, time.Duration(limit+min(elephants, config.WaitingCapacity())+mice)*mouse.exec/limit)
				assert.Greater(t, served, mice)
				assert.Equal(t, make([]int, mice), s.rejected[:mice])
				s.drain()
			})
		}
	}
}

func TestOnAFullLevelTheLastRequestOfTheScheduleIsRejected(t *testing.T) {
	f := newFixture(t, queues(2, 2, 2), 1)
	holder := f.arrive("holder", wide(1), queueset.Seated)
	var greedy []*queueset.Request
	for range 3 {
		greedy = append(greedy, f.arrive("greedy", wide(1), queueset.Waiting))
	}
	wider := f.arrive("wide", wide(2), queueset.Waiting)
	f.arrive("greedy", wide(1), queueset.Rejected) // the fourth of its flow
	f.arrive("mouse", wide(1), queueset.Waiting)   // takes the place of the third
	require.True(t, dispatched(greedy[2]))
	assert.True(t, greedy[2].Displaced())
	assert.Equal(t, stats.QueueFull, greedy[2].Reason())
	f.arrive("another", wide(1), queueset.Waiting) // there are two that end as late: one of greedy's, and the wide one
	displaced := greedy[1]
	if !dispatched(displaced) {
		require.True(t, dispatched(wider))
		displaced = wider
	}
	assert.True(t, displaced.Displaced())
	assert.False(t, f.set.Leave(displaced, stats.Cancelled), "it waits no longer")
	f.arrive("holder", wide(1), queueset.Rejected) // executes, and so ends later than all
	figures := f.set.Figures()
	assert.Equal(t, 4, figures.Waiting)
	assert.EqualValues(t, 4, figures.Totals.Rejected)
	series := f.series.Snapshot()
	assert.EqualValues(t, 4, series.Rejected[stats.QueueFull])
	assert.EqualValues(t, 2, series.WaitRejected.Count(), "at their arrival")
	assert.EqualValues(t, 4, series.InQueueRequests)
	require.NoError(t, f.set.Inconsistency())
	f.set.Finish(holder)
}

// The requests of one flow are bounded as if the level had no others.
func TestAFlowHasAsManyRequestsAsItsHandHolds(t *testing.T) {
	f := newFixture(t, queues(8, 3, 5), 1)
	f.arrive("a", wide(1), queueset.Seated)
	for range 15 {
		f.arrive("a", wide(1), queueset.Waiting)
	}
	r := f.arrive("a", wide(1), queueset.Rejected)
	assert.Equal(t, stats.QueueFull, r.Reason())
	f.arrive("b", wide(1), queueset.Waiting)
}

// Memory follows the requests that wait, not the flows that were seen. One request waits at any time,
// so R stands still, and all owe something until none does.
func TestAFlowThatChangesItsNameWithEachRequestIsForgotten(t *testing.T) {
	f := newFixture(t, queues(64, 6, 50), 2)
	running := []*queueset.Request{f.arrive("a", wide(1), queueset.Seated), f.arrive("b", wide(1), queueset.Seated)}
	line := []*queueset.Request{f.arrive("c", wide(1), queueset.Waiting)}
	most := 0
	for i := range 20_000 {
		f.clock.Advance(time.Millisecond)
		line = append(line, f.arrive(fmt.Sprint(i), wide(1), queueset.Waiting))
		f.set.Finish(running[0])
		require.True(t, dispatched(line[0]))
		running, line = append(running[1:], line[0]), line[1:]
		most = max(most, f.set.FlowsKept())
	}
	assert.LessOrEqual(t, most, queueset.MaxDebts+10)
	f.set.Finish(running[0])
	require.True(t, dispatched(line[0]))
	f.clock.Advance(time.Second)
	f.set.Finish(running[1])
	f.set.Finish(line[0])
	assert.True(t, f.set.Idle())
	assert.LessOrEqual(t, f.set.FlowsKept(), queueset.MaxIdle)
	require.NoError(t, f.set.Inconsistency())
}

// Ten thousand flows in a second send a request each, which executes for longer than the guess.
func TestDebtsOfManyFlowsAreBounded(t *testing.T) {
	f := newFixture(t, queues(200, 6, 100), 1)
	running := f.arrive("first", wide(1), queueset.Seated)
	var line []*queueset.Request
	for i := range 10_000 {
		f.clock.Advance(100 * time.Microsecond)
		line = append(line, f.arrive(fmt.Sprint(i), wide(1), queueset.Waiting))
	}
	require.NoError(t, f.set.Inconsistency())
	for _, next := range line {
		f.clock.Advance(20 * time.Millisecond)
		f.set.Finish(running)
		require.True(t, dispatched(next), "each in its turn")
		running = next
		require.LessOrEqual(t, f.set.FlowsKept(), f.set.Figures().Waiting+1+2*queueset.MaxDebts)
	}
	require.NoError(t, f.set.Inconsistency())
	f.set.Finish(running)
	assert.LessOrEqual(t, f.set.FlowsKept(), queueset.MaxIdle)
}
