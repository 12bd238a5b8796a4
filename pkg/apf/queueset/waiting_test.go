package queueset_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// Issues 119799 and 120222: the end of a wait was noticed only at the next
// event. Issue 105739: a client that disconnects is a rejection, not a
// time-out.
func TestAWaitEndsAtOnceForTheRightReason(t *testing.T) {
	for name, c := range map[string]struct {
		end    func(ctx context.Context) (context.Context, context.CancelFunc)
		reason stats.Reason
		count  func(queueset.Totals) uint64
	}{
		"at the deadline it is a time-out": {
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, 7*time.Second)
			}, stats.TimeOut, func(t queueset.Totals) uint64 { return t.TimedOut },
		},
		"when the client leaves it is cancelled": {
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(7*time.Second, cancel)
				return ctx, cancel
			}, stats.Cancelled, func(t queueset.Totals) uint64 { return t.Cancelled },
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				layout := stats.NewLayout()
				series := layout.NewSeries("level", "schema")
				set, err := queueset.New(clock.NewReal(), queues(4, 1, 10), limits(1))
				require.NoError(t, err)
				request := func() *queueset.Request {
					r := new(queueset.Request)
					r.Hasher, r.Series, r.Work = flow.NewHasher("schema", new(flow.HashCache)), series, wide(1)
					return r
				}
				holder := request()
				require.Equal(t, queueset.Seated, set.Arrive(holder))
				r := request()
				require.Equal(t, queueset.Waiting, set.Arrive(r))
				ctx, cancel := c.end(context.Background())
				defer cancel()
				begin := time.Now()
				assert.Equal(t, queueset.Rejected, set.Wait(ctx, r, nil))
				assert.Equal(t, 7*time.Second, time.Since(begin), "nothing else happened meanwhile")
				assert.Equal(t, c.reason, r.Reason())

				totals, figures := set.Figures().Totals, series.Snapshot()
				assert.EqualValues(t, 1, c.count(totals))
				assert.EqualValues(t, 1, totals.TimedOut+totals.Cancelled)
				assert.EqualValues(t, 1, figures.Rejected[c.reason])
				assert.EqualValues(t, 2, figures.WaitAdmitted.Count(), "with the holder's, which is 0")
				assert.InDelta(t, 7, figures.WaitAdmitted.Sum, 1e-9)
				assert.Zero(t, figures.WaitRejected.Count())
				assert.Zero(t, set.Figures().Waiting)
				assert.Zero(t, figures.InQueueRequests)
				assert.Zero(t, figures.InQueueSeats)
				set.Finish(holder)
				assert.True(t, set.Idle())
			})
		})
	}
}

func TestARequestDispatchedBeforeItsContextEndsExecutes(t *testing.T) {
	f := newFixture(t, queues(4, 1, 10), 1)
	holder := f.arrive("a", wide(1), queueset.Seated)
	r := f.arrive("b", wide(1), queueset.Waiting)
	f.set.Finish(holder)
	assert.False(t, f.set.Leave(r, stats.Cancelled), "it has been dispatched")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.Equal(t, queueset.Seated, f.set.Wait(ctx, r, nil))
	f.set.Finish(r)
	assert.True(t, f.set.Idle())
}

func TestWhenAWideHeadLeavesThoseBehindStart(t *testing.T) {
	f := newFixture(t, queues(1, 1, 10), 4)
	f.arrive("a", wide(1), queueset.Seated)
	head := f.arrive("a", wide(4), queueset.Waiting)
	behind := []*queueset.Request{f.arrive("a", wide(1), queueset.Waiting), f.arrive("a", wide(2), queueset.Waiting), f.arrive("a", wide(1), queueset.Waiting)}
	require.True(t, f.set.Leave(head, stats.Cancelled))
	assert.True(t, dispatched(behind[0]))
	assert.True(t, dispatched(behind[1]))
	assert.False(t, dispatched(behind[2]))
}

// Issues 112169 and 112198: a request that ended far earlier than estimated
// moved the start of its queue before the arrival of the head.
func TestDispatchNeverPrecedesArrivalAlsoAfterNegativeCorrections(t *testing.T) {
	f := newFixture(t, queues(64, 1, 1000), 10)
	f.arrive("b", wide(8), queueset.Seated)
	running := []*queueset.Request{f.arrive("a", wide(1), queueset.Seated), f.arrive("a", wide(1), queueset.Seated)}
	for range 200 {
		f.clock.Advance(50 * time.Microsecond)
		arrival := f.set.Figures().CurrentR
		next := f.arrive("a", wide(1), queueset.Waiting)
		require.Len(t, f.set.Dump().Active, 2)
		f.clock.Advance(50 * time.Microsecond)
		f.set.Finish(running[0]) // after 0.2 ms instead of the charged 3 ms
		require.True(t, dispatched(next))
		assert.GreaterOrEqual(t, f.set.Figures().LatestS, arrival)
		running = append(running[1:], next)
	}
}

func TestEqualRequestsOfManyQueuesTakeTurns(t *testing.T) {
	f := newFixture(t, queues(100, 1, 100), 1)
	holder := f.arrive("holder", wide(1), queueset.Seated)
	flows := []string{"a", "b", "c", "e", "f"} // each has a separate queue
	line := map[string][]*queueset.Request{}
	for _, name := range flows {
		for range 4 {
			line[name] = append(line[name], f.arrive(name, wide(1), queueset.Waiting))
		}
	}
	require.Equal(t, len(flows), f.set.Figures().QueuesWaiting)
	f.clock.Advance(time.Millisecond)
	f.set.Finish(holder)
	var order string
	for range 4 * len(flows) {
		for _, name := range flows {
			if len(line[name]) > 0 && dispatched(line[name][0]) {
				order += name
				f.clock.Advance(time.Millisecond)
				f.set.Finish(line[name][0])
				line[name] = line[name][1:]
				break
			}
		}
	}
	round := order[:len(flows)]
	assert.ElementsMatch(t, flows, strings.Split(round, ""))
	assert.Equal(t, strings.Repeat(round, 4), order)
}

func TestEqualRequestsOfNewFlowsStartInTheOrderOfTheirArrival(t *testing.T) {
	f := newFixture(t, queues(1000, 1, 100), 1)
	executing := f.arrive("holder", wide(1), queueset.Seated)
	var line []*queueset.Request
	for i := range 20 {
		line = append(line, f.arrive(fmt.Sprint("flow", i), wide(1), queueset.Waiting))
		f.clock.Advance(time.Millisecond)
	}
	require.Equal(t, len(line), f.set.Figures().QueuesWaiting)
	for _, r := range line {
		f.set.Finish(executing)
		require.True(t, dispatched(r))
		executing = r
	}
}

func TestDecidedIsCalledInsteadOfAWait(t *testing.T) {
	f := newFixture(t, queues(8, 1, 10), 1)
	first := f.arrive("a", wide(1), queueset.Seated)
	calls := 0
	second := f.request("b", wide(1))
	second.Decided = func() {
		calls++
		f.set.Finish(second) // no lock is held
	}
	require.Equal(t, queueset.Waiting, f.set.Arrive(second))
	assert.Zero(t, calls)
	f.set.Finish(first)
	assert.Equal(t, 1, calls)
	assert.True(t, f.set.Idle())
}

func TestARequestThatIsDisplacedStopsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, queues(1, 1, 1), 1)
		holder := f.arrive("a", wide(1), queueset.Seated)
		r := f.arrive("a", wide(1), queueset.Waiting)
		outcome := queueset.Waiting
		go func() { outcome = f.set.Wait(context.Background(), r, nil) }()
		synctest.Wait()
		next := f.arrive("b", wide(1), queueset.Waiting)
		synctest.Wait()
		assert.Equal(t, queueset.Rejected, outcome)
		f.set.Finish(holder)
		require.True(t, dispatched(next))
		f.set.Finish(next)
		assert.True(t, f.set.Idle())
		assert.Empty(t, f.set.Dump().Requests)
	})
}
