package queueset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

func rejecting() queueset.Config { return queueset.Config{Discipline: queueset.Reject} }

func TestALevelWithoutQueuesRejectsPastTheLimit(t *testing.T) {
	for _, limit := range []int{1, 3, 20, 100} {
		f := newFixture(t, rejecting(), limit)
		var held []*queueset.Request
		for range limit {
			held = append(held, f.arrive("a", wide(1), queueset.Seated))
		}
		for range 3 {
			r := f.arrive("a", wide(1), queueset.Rejected)
			assert.Equal(t, stats.ConcurrencyLimit, r.Reason())
		}
		f.set.Finish(held[0])
		f.arrive("a", wide(1), queueset.Seated)
		f.arrive("a", wide(1), queueset.Rejected)
		assert.Equal(t, limit, f.seatsInUse())
	}
}

func TestAQueueRejectsOnlyWhenItIsFull(t *testing.T) {
	f := newFixture(t, queues(1, 1, 2), 2)
	first := f.arrive("a", wide(1), queueset.Seated)
	f.arrive("a", wide(1), queueset.Seated)
	f.arrive("a", wide(1), queueset.Waiting)
	f.arrive("a", wide(1), queueset.Waiting)
	r := f.arrive("a", wide(1), queueset.Rejected)
	assert.Equal(t, stats.QueueFull, r.Reason())
	f.set.Finish(first)
	f.arrive("a", wide(1), queueset.Waiting)
}

// Nine seats are kept for the first request of the queue. Others of its flow were
// enqueued without bound.
func TestAFullQueueRejectsWhileSeatsAreKeptForAWideRequest(t *testing.T) {
	f := newFixture(t, queues(64, 1, 3), 20)
	held := f.arrive("holder", wide(11), queueset.Seated)
	head := f.arrive("a", wide(10), queueset.Waiting)
	for range 2 {
		f.arrive("a", wide(1), queueset.Waiting)
	}
	for range 100 {
		r := f.arrive("a", wide(1), queueset.Rejected)
		assert.Equal(t, stats.QueueFull, r.Reason())
	}
	assert.Equal(t, 3, f.set.Figures().Waiting)
	f.set.Finish(held)
	assert.True(t, dispatched(head))
	f.arrive("a", wide(1), queueset.Seated)
}

// Issue 134196: with a limit of zero a request was admitted when nothing was
// executing.
func TestALimitOfZeroAdmitsNothing(t *testing.T) {
	for name, config := range map[string]queueset.Config{"with queues": queues(4, 1, 2), "without queues": rejecting()} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, config, 0)
			expected := queueset.Rejected
			if config.Discipline == queueset.Queue {
				expected = queueset.Waiting
			}
			r := f.arrive("a", wide(1), expected)
			f.clock.Advance(time.Hour)
			assert.Zero(t, f.seatsInUse())
			f.set.SetLimits(limits(1)).Tell()
			if expected == queueset.Waiting {
				assert.True(t, dispatched(r), "the request that waited starts with the first seat")
			} else {
				f.arrive("a", wide(1), queueset.Seated)
			}
			g := newFixture(t, config, 5)
			held := g.arrive("a", wide(1), queueset.Seated)
			g.set.SetLimits(limits(0)).Tell()
			g.set.Finish(held)
			g.arrive("a", wide(1), expected)
		})
	}
}

func TestAnExemptLevelHasASeatForEverybody(t *testing.T) {
	f := newFixture(t, queueset.Config{Discipline: queueset.Exempt}, 0)
	for range 1000 {
		f.arrive("a", wide(100), queueset.Seated)
	}
	assert.Equal(t, 100000, f.seatsInUse())
}

// Issue 102848: a request that is wider than the limit must execute alone.
func TestARequestWiderThanTheLimitRunsAlone(t *testing.T) {
	for _, limit := range []int{4, 40} {
		f := newFixture(t, queues(8, 1, 10), limit)
		narrow := f.arrive("narrow", wide(1), queueset.Seated)
		tooWide := f.arrive("wide", wide(limit+3), queueset.Waiting)
		f.set.Finish(narrow)
		require.True(t, dispatched(tooWide))
		behind := f.arrive("other", wide(1), queueset.Waiting)
		assert.False(t, dispatched(behind), "nothing runs beside it")
		assert.Equal(t, limit+3, f.seatsInUse())
		f.clock.Advance(time.Second)
		f.set.Finish(tooWide)
		assert.True(t, dispatched(behind))
		f.set.Finish(behind)
		assert.True(t, f.set.Idle())
	}
}

// Issue 103539: final seats beyond the limit are clamped and held for a
// correspondingly longer time.
func TestFinalSeatsBeyondTheLimitAreClampedAndTheWorkKept(t *testing.T) {
	f := newFixture(t, queues(8, 1, 10), 10)
	r := f.arrive("a", seats.Work{Initial: 1, Final: 40, Latency: 5 * time.Millisecond}, queueset.Seated)
	assert.Equal(t, 10, f.seatsInUse())
	next := f.arrive("b", wide(1), queueset.Waiting)
	f.set.Finish(r)
	f.clock.Advance(20*time.Millisecond - 1)
	assert.Equal(t, 10, f.seatsInUse())
	assert.False(t, dispatched(next))
	f.clock.Advance(1)
	assert.True(t, dispatched(next))
	assert.Equal(t, 1, f.seatsInUse())
}

func TestFinalSeatsAreHeldAfterTheExecutionWithoutTheClientWaiting(t *testing.T) {
	for _, limit := range []int{5, 100} {
		f := newFixture(t, queues(8, 1, 10), limit)
		r := f.arrive("a", seats.Work{Initial: 1, Final: 3, Latency: 5 * time.Millisecond}, queueset.Seated)
		longer := f.arrive("a", seats.Work{Initial: 2, Final: 1, Latency: 15 * time.Millisecond}, queueset.Seated)
		assert.Equal(t, 5, f.seatsInUse(), "while it executes a request holds the wider of the two phases")
		f.set.Finish(longer)
		assert.Equal(t, 4, f.seatsInUse())
		f.set.Finish(r)
		assert.Equal(t, 4, f.seatsInUse())
		assert.Zero(t, f.set.Figures().Executing)
		assert.False(t, f.set.Idle())
		f.clock.Advance(5 * time.Millisecond)
		assert.Equal(t, 1, f.seatsInUse())
		f.clock.Advance(10 * time.Millisecond)
		assert.Zero(t, f.seatsInUse())
		assert.True(t, f.set.Idle())
	}
}

func TestTheSetBecomesIdleAloud(t *testing.T) {
	f := newFixture(t, queues(8, 1, 10), 50)
	idle := 0
	f.set.OnIdle(func() {
		if f.set.Idle() {
			idle++
		}
	})
	a, b := f.arrive("a", wide(1), queueset.Seated), f.arrive("a", seats.Work{Initial: 1, Final: 1, Latency: time.Second}, queueset.Seated)
	f.set.Finish(b)
	f.set.Finish(a)
	assert.Zero(t, idle, "seats are still held")
	f.clock.Advance(time.Second)
	assert.Equal(t, 1, idle)
}

func TestAnInvalidConfigurationChangesNothing(t *testing.T) {
	f := newFixture(t, rejecting(), 1)
	for _, bad := range []queueset.Config{
		queues(0, 1, 1), queues(4, 5, 1), queues(4, 0, 1), queues(4, 1, 0), queues(1024, 7, 1), {Discipline: 7}, {}, {Queues: 4, HandSize: 1, QueueLengthLimit: 1},
	} {
		assert.Error(t, bad.Validate())
		_, err := f.set.Configure(bad, limits(5))
		assert.Error(t, err)
		_, err = queueset.New(f.clock, bad, limits(1))
		assert.Error(t, err)
	}
	f.arrive("a", wide(1), queueset.Seated)
	f.arrive("a", wide(1), queueset.Rejected)
}
