package queueset_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// capped returns config with a cap of a flow.
func capped(config queueset.Config, percent int) queueset.Config {
	config.MaxFlowSeatsPercent = percent
	return config
}

func TestFlowAloneUsesAllSeatsWhateverItsCap(t *testing.T) {
	for _, percent := range []int{1, 30, 99} {
		s := newSimulation(t, capped(queues(64, 6, 50), percent), 20,
			client{threads: 60, exec: time.Second / 10, work: wide(1)},
		)
		assertShares(t, []float64{20}, s.shares(10*time.Second), 0.001)
		s.drain()
	}
}

func TestCappedFlowsLeaveSeatsToNewcomers(t *testing.T) {
	s := newSimulation(t, capped(queues(64, 1, 50), 30), 20,
		client{threads: 40, exec: time.Second, work: wide(1)},
		client{threads: 40, exec: time.Second / 3, work: wide(1)},
		client{threads: 3, exec: time.Second / 10, think: time.Second / 7, work: wide(1)},
	)
	s.advance(5 * time.Second)
	s.onWait = func(client int, _ *queueset.Request) { assert.NotEqual(t, 2, client, "a newcomer waits") }
	assertShares(t, []float64{6, 6}, s.shares(20 * time.Second)[:2], 0.01)
	s.drain()
}

func TestFlowWiderThanItsCapExecutesOneRequestAtATime(t *testing.T) {
	for _, percent := range []int{1, 10, 30} { // of 20 seats
		s := newSimulation(t, capped(queues(64, 1, 50), percent), 20,
			client{threads: 10, exec: time.Second, work: wide(7)},
			client{threads: 40, exec: time.Second, work: wide(1)},
		)
		s.advance(5 * time.Second)
		got := s.shares(20 * time.Second)
		assert.InDelta(t, 7, got[0], 0.1)
		assert.InDelta(t, max(1, 20*percent/100), got[1], 0.1)
		s.drain()
	}
}

// While the Set was open, the flow was not counted.
func TestSeatsTakenWhileNobodyWaitedCountForTheCap(t *testing.T) {
	f := newFixture(t, capped(queues(64, 1, 50), 50), 20)
	var held []*queueset.Request
	for range 15 {
		held = append(held, f.arrive("a", wide(1), queueset.Seated))
	}
	f.arrive("b", wide(5), queueset.Seated)
	require.True(t, f.set.IsOpen())
	f.arrive("b", wide(10), queueset.Waiting) // beyond the cap of b
	next := f.arrive("a", wide(1), queueset.Waiting)
	for i, r := range held[:5] {
		f.clock.Advance(time.Second)
		f.set.Finish(r)
		assert.False(t, dispatched(next), "%d seats of a", 14-i)
		require.NoError(t, f.set.Inconsistency())
	}
	f.set.Finish(held[5])
	assert.True(t, dispatched(next), "a uses 9 seats, and half of 20 is 10")
	require.NoError(t, f.set.Inconsistency())
}

func TestRequestsHeldBackStartInOrderWhenNobodyElseWaits(t *testing.T) {
	f := newFixture(t, capped(queues(64, 1, 50), 25), 8)
	a := []*queueset.Request{f.arrive("a", wide(1), queueset.Seated), f.arrive("a", wide(1), queueset.Seated)}
	b := f.arrive("b", wide(6), queueset.Seated)
	other := f.arrive("b", wide(6), queueset.Waiting)
	var line []*queueset.Request
	for range 5 {
		f.clock.Advance(time.Millisecond)
		line = append(line, f.arrive("a", wide(1), queueset.Waiting))
	}
	f.set.Finish(b)
	require.True(t, dispatched(other), "a uses its two seats")
	blocked := f.arrive("b", wide(6), queueset.Waiting)
	f.set.Finish(a[0])
	require.NoError(t, f.set.Inconsistency())
	assert.True(t, dispatched(line[0]))
	assert.False(t, dispatched(line[1]))
	f.set.Finish(other)
	require.True(t, dispatched(blocked))
	f.set.Finish(blocked)
	for i, r := range line[1:] {
		assert.True(t, dispatched(r), "request %d", i+1)
	}
	require.NoError(t, f.set.Inconsistency())
}

func TestRequestsHeldBackCountForTheLengthOfTheirQueueAndMayLeave(t *testing.T) {
	f := newFixture(t, capped(queues(64, 1, 3), 25), 8)
	f.arrive("a", wide(2), queueset.Seated)
	f.arrive("other", wide(1), queueset.Seated)
	blocked := f.arrive("b", wide(8), queueset.Waiting)
	var line []*queueset.Request
	for range 3 {
		f.clock.Advance(time.Millisecond)
		line = append(line, f.arrive("a", wide(1), queueset.Waiting))
	}
	r := f.arrive("a", wide(1), queueset.Rejected)
	assert.Equal(t, stats.QueueFull, r.Reason())
	assert.Equal(t, 4, f.set.Figures().Waiting)
	dump := f.set.Dump()
	require.Len(t, dump.Requests, 6)
	places := map[int]bool{}
	for _, r := range dump.Requests {
		if r.Distinguisher == "a" && r.Place >= 0 {
			places[r.Place] = true
		}
	}
	assert.Len(t, places, 3, "those held back have their places")
	assert.True(t, f.set.Leave(line[1], stats.Cancelled))
	require.NoError(t, f.set.Inconsistency())
	line[1] = f.arrive("a", wide(1), queueset.Waiting)
	assert.True(t, f.set.Leave(blocked, stats.TimeOut))
	for i, r := range line {
		assert.True(t, dispatched(r), "request %d", i)
	}
}

func TestCapMayChangeWhileRequestsWait(t *testing.T) {
	config := queues(64, 1, 50)
	f := newFixture(t, config, 8)
	holder := f.arrive("a", wide(1), queueset.Seated)
	f.arrive("a", wide(5), queueset.Seated)
	blocked := f.arrive("b", wide(8), queueset.Waiting)
	next := f.arrive("a", wide(3), queueset.Waiting)
	f.configure(capped(config, 25), limits(8))
	require.NoError(t, f.set.Inconsistency())
	f.set.Finish(holder)
	assert.False(t, dispatched(next))
	f.configure(capped(config, 90), limits(8))
	require.NoError(t, f.set.Inconsistency())
	f.configure(rejecting(), limits(8))
	require.NoError(t, f.set.Inconsistency())
	f.configure(config, limits(8))
	require.NoError(t, f.set.Inconsistency())
	require.True(t, f.set.Leave(blocked, stats.Cancelled))
	assert.True(t, dispatched(next), "no cap any more")
}

func TestFinalSeatsCountForTheCap(t *testing.T) {
	f := newFixture(t, capped(queues(64, 1, 50), 50), 4)
	r := f.arrive("a", seats.Work{Initial: 1, Final: 2, Latency: time.Second}, queueset.Seated)
	b := f.arrive("b", wide(1), queueset.Seated)
	f.arrive("c", wide(1), queueset.Seated)
	other := f.arrive("c", wide(2), queueset.Waiting)
	next := f.arrive("a", wide(1), queueset.Waiting)
	f.set.Finish(b)
	f.set.Finish(r)
	require.NoError(t, f.set.Inconsistency())
	assert.Equal(t, 3, f.seatsInUse())
	assert.False(t, dispatched(next))
	f.clock.Advance(time.Second)
	require.NoError(t, f.set.Inconsistency())
	assert.True(t, dispatched(next))
	assert.True(t, dispatched(other), "nobody else waits")
}

func TestLargerLimitRaisesTheCapOfRequestsHeldBack(t *testing.T) {
	f := newFixture(t, capped(queues(64, 1, 50), 50), 4)
	f.arrive("a", wide(2), queueset.Seated)
	b := f.arrive("b", wide(1), queueset.Seated)
	f.arrive("c", wide(1), queueset.Seated)
	f.arrive("c", wide(4), queueset.Waiting)
	next := f.arrive("a", wide(1), queueset.Waiting)
	f.set.Finish(b)
	assert.False(t, dispatched(next))
	f.set.SetLimits(limits(6))
	require.NoError(t, f.set.Inconsistency())
	assert.True(t, dispatched(next))
}

// A cap that no flow reaches changes nothing.
func TestCapThatNoFlowReachesChangesNoDispatch(t *testing.T) {
	type start struct {
		flow string
		at   time.Duration
	}
	for seed := range lane.Pick[uint64](10, 100) {
		var runs [2][]start
		for i, percent := range []int{0, 60} {
			random := rand.New(rand.NewPCG(seed, 3))
			var clients []client
			for range 6 {
				clients = append(clients, client{threads: 1 + random.IntN(6), exec: time.Duration(1+random.IntN(200)) * time.Millisecond, work: wide(1 + random.IntN(2))})
			}
			s := newSimulation(t, capped(queues(64, 3, 50), percent), 20, clients...)
			s.onStart = func(r *queueset.Request) { runs[i] = append(runs[i], start{r.Flow, s.clock.Now()}) }
			s.advance(5 * time.Second)
			s.drain()
		}
		assert.Equal(t, runs[0], runs[1], "seed %d", seed)
	}
}
