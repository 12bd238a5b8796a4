//go:build !race

package queueset_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// processors are the owners of requests. Each arrives in turn at a shard of its own.
type processors struct {
	*fixture
	random    *rand.Rand
	idle      []*queueset.Request
	executing []*queueset.Request
}

func newProcessors(f *fixture, n int) *processors {
	p := &processors{fixture: f, random: rand.New(rand.NewPCG(5, 8))}
	for i := range n {
		p.idle = append(p.idle, f.requestOf(i, fmt.Sprint("flow", i%16), wide(1)))
	}
	return p
}

// start starts a request of any processor that has none. It must find a seat.
func (p *processors) start() {
	p.t.Helper()
	i := p.random.IntN(len(p.idle))
	r := p.idle[i]
	p.idle[i] = p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	require.Equal(p.t, queueset.Seated, p.set.Arrive(r))
	p.executing = append(p.executing, r)
}

// end ends any request that executes.
func (p *processors) end() {
	i := p.random.IntN(len(p.executing))
	r := p.executing[i]
	p.executing[i] = p.executing[len(p.executing)-1]
	p.executing = p.executing[:len(p.executing)-1]
	p.clock.Advance(time.Microsecond)
	p.set.Finish(r)
	p.idle = append(p.idle, r)
}

// turnOver ends and starts a request this number of times, and returns the part of these arrivals
// and ends that took the lock of the Set.
func (p *processors) turnOver(times int) float64 {
	p.t.Helper()
	before := p.set.Operations()
	for range times {
		p.end()
		p.start()
	}
	return float64(p.set.Operations()-before) / float64(2*times)
}

// A Set of fewer than two seats for each shard never opened: fewer than 32 on 5
// processors and more.
func TestSetOfFewSeatsOpensOnManyProcessors(t *testing.T) {
	for _, limit := range []int{1, 4, 8, 16, 31} {
		f := newFixtureWith(t, queues(64, 6, 50), limit, 16)
		assert.True(t, f.set.IsOpen(), "%d seats", limit)
		f.set.Finish(f.arrive("a", wide(1), queueset.Seated))
		assert.True(t, f.set.IsOpen(), "%d seats", limit)
	}
}

func TestFewSeatsInUseNeedNoCommonLockOnManyProcessors(t *testing.T) {
	for _, inUse := range []int{1, 2, 4, 8, 12, 15} {
		t.Run(fmt.Sprintf("%d of 16 seats, 64 processors", inUse), func(t *testing.T) {
			p := newProcessors(newFixtureWith(t, queues(64, 6, 50), 16, 16), 64)
			for range inUse {
				p.start()
			}
			p.turnOver(1000) // until the reserve is spread
			assert.Zero(t, p.turnOver(10000), "part of the arrivals and ends that took the lock")
			assert.True(t, p.set.IsOpen())
			assert.Equal(t, inUse, p.seatsInUse())
		})
	}
}

// Writes that ten watchers or more are notified of have an additional latency.
func TestAdditionalLatencyNeedsNoCommonLock(t *testing.T) {
	p := newProcessors(newFixtureWith(t, queues(64, 6, 50), 64, 16), 64)
	for _, r := range p.idle {
		r.Work = seats.Work{Initial: 1, Final: 3, Latency: 5 * time.Microsecond}
	}
	for range 8 {
		p.start()
	}
	p.turnOver(5000)
	assert.Zero(t, p.turnOver(5000), "part of the arrivals and ends that took the lock")
	assert.True(t, p.set.IsOpen())
	assert.Less(t, 24, p.seatsInUse(), "including seats of requests that ended")
	p.clock.Advance(time.Second)
	assert.Equal(t, 24, p.seatsInUse())
	for range 8 {
		p.end()
	}
	p.clock.Advance(time.Second)
	assert.True(t, p.set.Idle())
}

func TestFinalSeatsAreReleasedAlsoWhenTheSetClosesMeanwhile(t *testing.T) {
	f := newFixture(t, queues(64, 6, 50), 10)
	for _, latency := range []time.Duration{2 * time.Second, time.Second} {
		f.set.Finish(f.arrive("a", seats.Work{Initial: 1, Final: 4, Latency: latency}, queueset.Seated))
	}
	require.True(t, f.set.IsOpen())
	next := f.arrive("b", wide(6), queueset.Waiting)
	f.clock.Advance(time.Second)
	require.True(t, dispatched(next))
	assert.Equal(t, 10, f.seatsInUse())
	f.clock.Advance(time.Second)
	assert.Equal(t, 6, f.seatsInUse())
	f.set.Finish(next)
	assert.True(t, f.set.Idle())
}

func TestWideRequestFindsTheSeatsOfAllShards(t *testing.T) {
	p := newProcessors(newFixtureWith(t, queues(64, 6, 50), 16, 16), 64)
	for range 16 {
		p.start()
	}
	for range 8 {
		p.end()
	}
	r := p.arrive("wide", wide(8), queueset.Seated)
	assert.True(t, p.set.IsOpen())
	assert.Equal(t, 16, p.seatsInUse())
	p.set.Finish(r)
	p.arrive("wide", wide(9), queueset.Waiting)
	assert.False(t, p.set.IsOpen())
}

// Every change of the limit closed the Set.
func TestChangeOfTheLimitLeavesASetOpen(t *testing.T) {
	for _, shards := range []int{1, 4, 16} {
		t.Run(fmt.Sprintf("%d shards", shards), func(t *testing.T) {
			f := newFixtureWith(t, queues(64, 6, 50), 20, shards)
			p := newProcessors(f, 64)
			for range 15 {
				p.start()
			}
			for i := range 200 {
				limit := 15 + p.random.IntN(10)
				f.set.SetLimits(limits(limit))
				assert.True(t, f.set.IsOpen(), "change %d, to %d", i, limit)
				require.NoError(t, f.set.Inconsistency())
				for range limit - 15 {
					p.start()
				}
				require.True(t, f.set.IsOpen(), "as many start as there are seats")
				for range limit - 15 {
					p.end()
				}
			}
			f.set.SetLimits(limits(16))
			p.start()
			f.arrive("one more", wide(1), queueset.Waiting)
		})
	}
}

func TestLimitBelowTheSeatsInUseHolds(t *testing.T) {
	p := newProcessors(newFixture(t, queues(64, 6, 50), 60), 64)
	for range 50 {
		p.start()
	}
	p.set.SetLimits(limits(40))
	waiting := p.arrive("waiting", wide(1), queueset.Waiting)
	for range 10 {
		p.end()
		assert.False(t, dispatched(waiting))
	}
	p.end()
	assert.True(t, dispatched(waiting))
	assert.Equal(t, 40, p.seatsInUse())
}

// A Set stayed closed while more than three quarters of its seats were in use.
func TestSetThatRequestsWaitedForOpensAboveThreeQuartersOfUse(t *testing.T) {
	for name, c := range map[string]struct{ seats, shards, inUse int }{
		"60 seats on 2 processors":        {60, 4, 55},
		"600 seats on 2 processors":       {600, 4, 590},
		"16 seats on many processors":     {16, 16, 14},
		"4 seats on many processors":      {4, 16, 3},
		"all but one seat of 60 are used": {60, 4, 59},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProcessors(newFixtureWith(t, queues(64, 6, 50), c.seats, c.shards), 2*c.seats)
			for range c.seats {
				p.start()
			}
			waiting := p.arrive("waiting", wide(1), queueset.Waiting)
			p.end()
			require.True(t, dispatched(waiting))
			p.set.Finish(waiting)
			for range c.seats - 1 - c.inUse {
				p.end()
			}
			require.False(t, p.set.IsOpen())
			assert.Positive(t, p.turnOver(2*(c.seats+c.shards)))
			assert.True(t, p.set.IsOpen())
			p.turnOver(1000)
			assert.Zero(t, p.turnOver(10000), "part of the arrivals and ends that took the lock")
		})
	}
}

// Closing takes a step for each seat in use and each shard.
func TestSetDoesNotCloseOftenerThanItsArrivalsPayFor(t *testing.T) {
	const limit, shards = 60, 4
	p := newProcessors(newFixtureWith(t, queues(64, 6, 1000), limit, shards), 2*limit)
	for range limit {
		p.start()
	}
	closings, last := 0, uint64(0)
	for range 10000 { // at the edge of saturation: one request waits for a moment, again and again
		before := p.set.IsOpen()
		r := p.requestOf(p.random.IntN(shards), "waiting", wide(1))
		require.Equal(t, queueset.Waiting, p.set.Arrive(r))
		if before && last > 0 {
			assert.GreaterOrEqual(t, p.set.Operations()-last, uint64(2*limit))
			closings++
		}
		last = p.set.Operations()
		p.end()
		require.True(t, dispatched(r))
		p.set.Finish(r)
		p.turnOver(p.random.IntN(100))
		p.start()
	}
	assert.Greater(t, closings, 100, "it opens, too")
}
