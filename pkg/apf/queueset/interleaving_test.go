package queueset_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

// crowd sends requests from many goroutines through one Set. At every dispatch it
// checks that the seats in use do not exceed the limit.
type crowd struct {
	t       *testing.T
	set     *queueset.Set
	series  *stats.Series
	hasher  *flow.Hasher
	largest int64 // of all limits

	inUse                    atomic.Int64 // initial seats in execution
	sent, executed, rejected atomic.Int64
	overLimit                atomic.Int64
}

func (c *crowd) request(r *queueset.Request, random *rand.Rand) {
	c.sent.Add(1)
	r.Hasher, r.Series = c.hasher, c.series
	r.Distinguisher = fmt.Sprint(random.IntN(20))
	r.Flow = r.Distinguisher
	r.Work = seats.Work{Initial: 1 + random.IntN(4)*random.IntN(3)}
	if random.IntN(10) == 0 {
		r.Work.Initial = 25 // wider than some limits
	}
	if random.IntN(4) == 0 {
		r.Work.Final, r.Work.Latency = 1+random.IntN(30), time.Duration(random.IntN(200))*time.Microsecond
	}
	outcome := c.set.Arrive(r)
	if outcome == queueset.Waiting {
		ctx, cancel := context.WithCancel(context.Background())
		if random.IntN(5) == 0 {
			go cancel()
		}
		outcome = c.set.Wait(ctx, r, nil)
		cancel()
	}
	if outcome == queueset.Rejected {
		c.rejected.Add(1)
		return
	}
	c.execute(r, random)
}

func (c *crowd) execute(r *queueset.Request, random *rand.Rand) {
	width := int64(r.Work.Initial)
	others := c.inUse.Add(width) - width
	if others+width > c.largest && others > 0 {
		c.overLimit.Add(1)
	}
	for range random.IntN(4) {
		runtime.Gosched()
	}
	c.inUse.Add(-width)
	c.executed.Add(1)
	c.set.Finish(r)
}

// seenAll reports whether every possible outcome of the discipline occurred.
// That depends on the Go scheduler.
func (c *crowd) seenAll(discipline queueset.Discipline) bool {
	return c.executed.Load() > 0 && (c.rejected.Load() > 0 || discipline == queueset.Exempt)
}

func TestNoInterleavingLosesARequestOrASeat(t *testing.T) {
	for name, one := range map[string]struct {
		config   queueset.Config
		largest  int64
		unsteady bool
	}{
		"with queues":                      {config: queues(16, 4, 8), largest: 20},
		"with queues, limits changing":     {config: queues(16, 4, 8), largest: 40, unsteady: true},
		"without queues":                   {config: rejecting(), largest: 20},
		"without queues, limits changing":  {config: rejecting(), largest: 40, unsteady: true},
		"exempt, limits changing in vain":  {config: queueset.Config{Discipline: queueset.Exempt}, largest: 1 << 40, unsteady: true},
		"with queues, on few seats":        {config: queues(16, 4, 8), largest: 3},
		"with queues that are always full": {config: queues(3, 1, 3), largest: 3},
	} {
		t.Run(name, func(t *testing.T) {
			layout := stats.NewLayout()
			set, err := queueset.New(clock.NewReal(), one.config, limits(int(min(one.largest, 40))))
			require.NoError(t, err)
			c := &crowd{t: t, set: set, series: layout.NewSeries("level", "schema"), hasher: flow.NewHasher("schema", new(flow.HashCache)), largest: one.largest}
			const mostRounds = 1000
			seed, rounds, stop := lane.Seed(t), uint64(0), make(chan struct{})
			var disturber sync.WaitGroup
			disturber.Go(func() {
				c.disturb(one.config, one.unsteady, rand.New(rand.NewPCG(seed, math.MaxUint64)), stop)
			})
			for rounds < lane.Pick[uint64](1, 20) || !c.seenAll(one.config.Discipline) {
				require.Less(t, rounds, uint64(mostRounds), "some outcome never comes")
				c.sendAll(seed, rounds)
				rounds++
			}
			close(stop)
			disturber.Wait()
			c.assertAtRest()
		})
	}
}

// sendAll sends hundreds of requests from each of 32 goroutines.
func (c *crowd) sendAll(seed, round uint64) {
	const count = 32
	var senders sync.WaitGroup
	for i := range uint64(count) {
		senders.Go(func() {
			random := rand.New(rand.NewPCG(seed, round*count+i))
			r := new(queueset.Request)
			for range lane.Pick(100, 300) {
				c.request(r, random)
			}
		})
	}
	senders.Wait()
}

// disturb reads figures and dumps and, if unsteady, changes limits and
// configuration.
func (c *crowd) disturb(config queueset.Config, unsteady bool, random *rand.Rand, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		what := random.IntN(6)
		if !unsteady {
			what += 2
		}
		switch what {
		case 0:
			c.set.SetLimits(limits(1 + random.IntN(40))).Tell()
		case 1:
			changed := config
			if changed.Discipline == queueset.Queue {
				changed.Queues = 4 + random.IntN(60)
				if random.IntN(4) == 0 {
					changed = rejecting()
				}
			}
			decided, err := c.set.Configure(changed, limits(1+random.IntN(40)))
			assert.NoError(c.t, err)
			decided.Tell()
		case 2:
			c.set.Dump()
		case 3:
			c.set.ResetDemand()
		default:
			f := c.set.Figures()
			assert.GreaterOrEqual(c.t, f.SeatsInUse, 0)
			assert.NoError(c.t, c.set.Inconsistency())
			runtime.Gosched()
		}
	}
}

func (c *crowd) assertAtRest() {
	t := c.t
	eventually.Holds(t, "all seats are back", func(a *eventually.Attempt) { require.True(a, c.set.Idle()) })
	assert.Equal(t, c.sent.Load(), c.executed.Load()+c.rejected.Load(), "each request is either executed or rejected")
	assert.Zero(t, c.overLimit.Load(), "times that the limit was exceeded")
	f := c.set.Figures()
	assert.Zero(t, f.SeatsInUse)
	assert.Zero(t, f.SeatsWaiting)
	assert.Zero(t, f.Executing)
	assert.Zero(t, f.Waiting)
	assert.EqualValues(t, c.executed.Load(), f.Totals.Dispatched)
	assert.EqualValues(t, c.rejected.Load(), f.Totals.Rejected+f.Totals.TimedOut+f.Totals.Cancelled)
	figures := c.series.Snapshot()
	assert.EqualValues(t, c.executed.Load(), figures.Dispatched)
	assert.Zero(t, figures.ExecutingRequests)
	assert.Zero(t, figures.ExecutingSeats)
	assert.Zero(t, figures.InQueueRequests)
	assert.Zero(t, figures.InQueueSeats)
	assert.Empty(t, c.set.Dump().Requests)
}
