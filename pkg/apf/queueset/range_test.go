//go:build !race

package queueset_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// endurance runs flows whose requests execute for a fifth of the longest time to the
// longest time. Its random choices do not depend on that time.
type endurance struct {
	*fixture
	random  *rand.Rand
	longest time.Duration
	widths  []int                     // of the requests of each flow
	waiting []*queueset.Request       // in the order of arrival
	flows   map[*queueset.Request]int // of the requests that wait
	order   []int                     // flows as they were dispatched
	served  []float64                 // by flow, in seats times the longest time
}

const enduranceLimit = 500

// endure runs flows with this number of threads each for 40 times the longest time.
func endure(t *testing.T, seed uint64, longest time.Duration, threads int, widths ...int) *endurance {
	t.Helper()
	e := &endurance{
		fixture: newFixture(t, queues(256, 1, 1000), enduranceLimit),
		random:  rand.New(rand.NewPCG(seed, 1)),
		longest: longest, widths: widths,
		flows: map[*queueset.Request]int{}, served: make([]float64, len(widths)),
	}
	for i := range widths {
		for j := range threads {
			e.clock.AfterFunc(time.Duration(1+1000*i+j), func() { e.send(i) })
		}
	}
	e.clock.Advance(40 * longest)
	require.NoError(t, e.set.Inconsistency())
	return e
}

func (e *endurance) send(i int) {
	r := e.request(fmt.Sprint("flow", i), seats.Work{Initial: e.widths[i]})
	if e.set.Arrive(r) == queueset.Seated {
		e.execute(r, i)
		return
	}
	e.waiting = append(e.waiting, r)
	e.flows[r] = i
}

func (e *endurance) execute(r *queueset.Request, i int) {
	part := 0.2 + 0.8*e.random.Float64()
	e.order = append(e.order, i)
	e.served[i] += part * float64(e.widths[i])
	e.clock.AfterFunc(time.Duration(part*float64(e.longest)), func() {
		e.set.Finish(r)
		e.waiting = slices.DeleteFunc(e.waiting, func(next *queueset.Request) bool {
			started := dispatched(next)
			if started {
				e.execute(next, e.flows[next])
			}
			return started
		})
		e.send(i)
	})
}

func TestOrderIsExactUpToTheRange(t *testing.T) {
	longest := seats.MaxArea.Over(enduranceLimit)
	require.Greater(t, longest, 26*24*time.Hour)
	for _, widths := range [][]int{{500, 500}, {500, 1}, {500, 100, 20, 1}, {250, 250, 250}, {1, 1, 1, 1, 500}} {
		for _, threads := range []int{1, 3, 8} {
			for seed := range uint64(3) {
				expected := endure(t, seed, 12*time.Hour, threads, widths...)
				require.Greater(t, len(expected.order), 50)
				got := endure(t, seed, longest, threads, widths...)
				require.Equal(t, expected.order, got.order, "%d threads of widths %v, seed %d", threads, widths, seed)
			}
		}
	}
}

// Readings of the virtual clock were compared over more than half its range. A flow got
// three times as much as another.
func TestBeyondTheRangeFlowsGetNearlyTheirShares(t *testing.T) {
	for _, days := range []int{40, 100, 200, 400, 1000} {
		for seed := range uint64(3) {
			served := endure(t, seed, time.Duration(days)*24*time.Hour, 8, 250, 250, 250).served
			assert.Greater(t, slices.Min(served)/slices.Max(served), 0.7, "%d days, seed %d: %v", days, seed, served)
		}
	}
}
