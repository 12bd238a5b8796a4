package queueset_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// Flows share no queue, but there may be more flows than numbers of queues.
func TestADumpShowsAFlowInTheFirstQueueOfItsHand(t *testing.T) {
	f := newFixture(t, queues(8, 4, 10), 20)
	dealer, err := flow.NewDealer(8, 4)
	require.NoError(t, err)
	for i := range 40 {
		f.clock.Advance(time.Millisecond)
		outcome := queueset.Seated
		if i >= 20 {
			outcome = queueset.Waiting
		}
		f.arrive(fmt.Sprint(i%20), wide(1), outcome)
		sum := queueset.QueueDump{}
		dump := f.set.Dump()
		for _, q := range dump.Active {
			sum.Executing, sum.Waiting, sum.SeatsInUse = sum.Executing+q.Executing, sum.Waiting+q.Waiting, sum.SeatsInUse+q.SeatsInUse
		}
		assert.Equal(t, []int{min(i+1, 20), max(i-19, 0), min(i+1, 20)}, []int{sum.Executing, sum.Waiting, sum.SeatsInUse})
		for i, r := range dump.Requests {
			assert.Equal(t, dealer.Deal(flow.HashOf("schema", r.Distinguisher), nil)[0], r.Queue)
			assert.Equal(t, r.Place < 0, r.Started == r.Arrived, "nobody waited")
			if i > 0 {
				before := dump.Requests[i-1]
				assert.True(t, before.Queue < r.Queue || before.Queue == r.Queue && before.Place <= r.Place, "in order")
			}
		}
	}
}

func TestADumpTellsWhenARequestThatWaitedStarted(t *testing.T) {
	f := newFixture(t, queues(1, 1, 10), 1)
	holder := f.arrive("a", wide(1), queueset.Seated)
	waited := f.arrive("a", wide(1), queueset.Waiting)
	f.clock.Advance(time.Second)
	f.set.Finish(holder)
	require.True(t, dispatched(waited))
	r := f.set.Dump().Requests[0]
	assert.Equal(t, time.Second, r.Started-r.Arrived)
}

// While a dump copies, requests arrive, leave, start and end. Requests that wait from before it to
// after it are in it once, in their order.
func TestADumpCopiesInStepsBetweenWhichRequestsGoOn(t *testing.T) {
	const limit = 20
	f := newFixture(t, queues(8, 1, 10000), limit)
	random := rand.New(rand.NewPCG(1, 2))
	var executing, waiting []*queueset.Request
	send := func(n int) {
		for range n {
			f.clock.Advance(1) // so that each has its own time of arrival
			r := new(queueset.Request)
			r.Hasher, r.Distinguisher, r.Series, r.Work = f.hasher, fmt.Sprint(random.IntN(20)), f.series, wide(1)
			if f.set.Arrive(r) == queueset.Seated {
				executing = append(executing, r)
			} else {
				waiting = append(waiting, r)
			}
		}
	}
	send(limit + 10*queueset.DumpStep)
	stays, steps := map[time.Duration]bool{}, 0
	for _, r := range waiting {
		stays[r.Arrived()] = true
	}
	dump := f.set.DumpSlowly(func() {
		steps++
		require.NoError(t, f.set.Inconsistency())
		send(10)
		for range 10 {
			i := random.IntN(len(waiting))
			if f.set.Leave(waiting[i], stats.TimeOut) {
				delete(stays, waiting[i].Arrived())
				waiting = append(waiting[:i], waiting[i+1:]...)
			}
		}
		for _, r := range executing {
			f.set.Finish(r)
		}
		executing = executing[:0]
		rest := waiting[:0]
		for _, r := range waiting {
			if dispatched(r) {
				executing = append(executing, r)
				delete(stays, r.Arrived())
			} else {
				rest = append(rest, r)
			}
		}
		waiting = rest
	})
	assert.Greater(t, steps, 5)
	require.Greater(t, len(stays), 500)
	seen := map[time.Duration]bool{}
	for i, r := range dump.Requests {
		assert.False(t, seen[r.Arrived], "a request is there twice")
		seen[r.Arrived] = true
		if i > 0 && dump.Requests[i-1].Queue == r.Queue && r.Place > 0 {
			assert.Equal(t, r.Place-1, dump.Requests[i-1].Place)
			assert.Less(t, dump.Requests[i-1].Arrived, r.Arrived)
		}
	}
	for arrived := range stays {
		assert.True(t, seen[arrived], "a request that waits is missing")
	}
	assert.Len(t, dump.Active, 8)
}

func TestADumpGoesOnWhenTheRequestEndsThatIsNext(t *testing.T) {
	f := newFixture(t, queues(8, 1, 10), 1000)
	var held []*queueset.Request
	for range queueset.DumpStep + 10 {
		held = append(held, f.arrive("a", wide(1), queueset.Seated))
	}
	next := held[len(held)-1-queueset.DumpStep] // the newest come first
	dump := f.set.DumpSlowly(func() {
		if next != nil {
			f.set.Finish(next)
			next = nil
		}
	})
	assert.Len(t, dump.Requests, len(held)-1)
}
