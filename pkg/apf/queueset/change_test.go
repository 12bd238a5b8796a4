package queueset_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Issue 140884: the number of queues decreased while a finished request still
// held seats of a removed queue.
func TestFewerQueuesDrainByAttrition(t *testing.T) {
	f := newFixture(t, queues(32, 1, 10), 4)
	var held, line []*queueset.Request
	for i := range 4 {
		held = append(held, f.arrive(fmt.Sprint(i), seats.Work{Initial: 1, Final: 1, Latency: time.Second}, queueset.Seated))
	}
	for i := range 40 {
		line = append(line, f.arrive(fmt.Sprint(i), seats.Work{Initial: 1, Final: 1, Latency: time.Second}, queueset.Waiting))
	}
	f.set.Finish(held[0])
	f.configure(queues(2, 1, 100), limits(4))
	require.NoError(t, f.set.Inconsistency())
	assert.Equal(t, 40, f.set.Figures().Waiting, "more than a change to fewer queues allows")
	for i := range 10 {
		line = append(line, f.arrive(fmt.Sprint(i), wide(1), queueset.Waiting))
	}
	running := held[1:]
	for len(line) > 0 || len(running) > 0 {
		for _, r := range running {
			f.set.Finish(r)
		}
		running = nil
		f.clock.Advance(time.Second)
		var rest []*queueset.Request
		for _, r := range line {
			if dispatched(r) {
				running = append(running, r)
			} else {
				rest = append(rest, r)
			}
		}
		require.True(t, len(running) > 0 || len(line) == 0, "nobody runs, and %d wait", len(line))
		line = rest
		require.NoError(t, f.set.Inconsistency())
	}
	f.clock.Advance(time.Second)
	assert.True(t, f.set.Idle())
	assert.Equal(t, 2, f.set.Dump().Queues)
	for i := range 4 {
		f.arrive(fmt.Sprint(i), wide(1), queueset.Seated)
	}
	for _, q := range f.set.Dump().Active {
		assert.Less(t, q.Index, 2)
	}
}

func TestMoreQueuesServeAtOnce(t *testing.T) {
	f := newFixture(t, queues(1, 1, 1), 1)
	f.arrive("a", wide(1), queueset.Seated)
	f.arrive("b", wide(1), queueset.Waiting)
	f.arrive("c", wide(1), queueset.Rejected)
	f.configure(queues(1000, 1, 1), limits(1))
	for i := range 10 {
		f.arrive(fmt.Sprint("other", i), wide(1), queueset.Waiting)
	}
}

func TestALevelThatLosesItsQueuesServesThoseWhoWait(t *testing.T) {
	f := newFixture(t, queues(8, 1, 10), 1)
	holder := f.arrive("a", wide(1), queueset.Seated)
	a, b := f.arrive("a", wide(1), queueset.Waiting), f.arrive("b", wide(1), queueset.Waiting)
	f.configure(rejecting(), limits(1))
	f.arrive("c", wide(1), queueset.Rejected)
	f.set.Finish(holder)
	first, second := a, b
	if !dispatched(a) {
		require.True(t, dispatched(b))
		first, second = b, a
	}
	f.arrive("c", wide(1), queueset.Rejected)
	f.set.Finish(first)
	require.True(t, dispatched(second))
	f.set.Finish(second)
	f.arrive("c", wide(1), queueset.Seated)
}

func TestALargerLimitStartsThoseWhoWaitAndASmallerOneStopsNobody(t *testing.T) {
	f := newFixture(t, queues(8, 1, 100), 2)
	held := []*queueset.Request{f.arrive("a", wide(1), queueset.Seated), f.arrive("a", wide(1), queueset.Seated)}
	var line []*queueset.Request
	for range 30 {
		line = append(line, f.arrive("a", wide(1), queueset.Waiting))
	}
	f.set.SetLimits(limits(12)).Tell()
	for i, r := range line {
		assert.Equal(t, i < 10, dispatched(r), "request %d", i)
	}
	f.set.SetLimits(limits(3)).Tell()
	assert.Equal(t, 12, f.seatsInUse())
	held = append(held, line[:10]...)
	for i, r := range held[:9] {
		f.set.Finish(r)
		assert.Equal(t, 11-i, f.seatsInUse())
	}
	f.set.Finish(held[9])
	assert.True(t, dispatched(line[10]))
	assert.Equal(t, 3, f.seatsInUse())
}

// Issue 97041: a forward jump of the clock caused a busy loop. Here a jump is
// one arithmetic step, whatever its size.
func TestAForwardJumpOfTheClockIsOneStep(t *testing.T) {
	f := newFixture(t, queues(8, 1, 10), 2)
	a := f.arrive("a", seats.Work{Initial: 1, Final: 1, Latency: time.Millisecond}, queueset.Seated)
	b := f.arrive("b", wide(1), queueset.Seated)
	c, d := f.arrive("a", wide(1), queueset.Waiting), f.arrive("b", wide(1), queueset.Waiting)
	f.clock.Advance(100 * 365 * 24 * time.Hour)
	f.set.Finish(a)
	f.set.Finish(b)
	f.clock.Advance(100 * 365 * 24 * time.Hour)
	assert.True(t, dispatched(c))
	assert.True(t, dispatched(d))
	f.set.Finish(c)
	f.set.Finish(d)
	assert.True(t, f.set.Idle())
	require.NoError(t, f.set.Inconsistency())
}
