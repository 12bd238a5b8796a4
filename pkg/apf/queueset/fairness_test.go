//go:build !race

package queueset_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// The scenarios have the traffic of the library's tests and the same or tighter
// margins.
func TestEachFlowGetsItsMaxMinFairShare(t *testing.T) {
	second := time.Second
	for name, c := range map[string]struct {
		config   queueset.Config
		limit    int
		eval     time.Duration
		margin   float64
		expected []float64
		clients  []client
	}{
		"two equal flows with one queue each": {queues(9, 1, 8), 4, 50 * second, 0.01, []float64{2, 2}, []client{
			{threads: 8, exec: second, think: second - 1, work: wide(1)},
			{threads: 8, exec: second, think: second - 1, work: wide(1)},
		}},
		"two equal flows with hands of three": {queues(8, 3, 16), 4, 60 * second, 0.03, []float64{2, 2}, []client{
			{threads: 8, exec: second, think: second - 1, work: wide(1)},
			{threads: 8, exec: second, think: second - 1, work: wide(1)},
		}},
		"two flows of different pace that both want more than their share": {queues(9, 1, 8), 4, 40 * second, 0.01, []float64{2, 2}, []client{
			{threads: 8, exec: second, think: second, work: wide(1)},
			{threads: 7, exec: second, think: second / 2, work: wide(1)},
		}},
		"one flow that wants less than its share": {queues(9, 1, 6), 3, 20 * second, 0.01, []float64{2, 1}, []client{
			{threads: 4, exec: second, think: second - 1, work: wide(1)},
			{threads: 2, exec: second, think: second - 1, work: wide(1)},
		}},
		"flows of different widths (103039: seats count, not requests)": {queues(64, 7, 13), 6, 200 * second, 0.10, []float64{3, 3}, []client{
			{threads: 13, exec: second, think: second - 1, work: wide(1)},
			{threads: 7, exec: second, think: second - 1, work: wide(2)},
		}},
		"a flow wider than the limit among others": {queues(64, 7, 35), 6, 225 * second, 0.10, []float64{1.2, 1.2, 1.2, 1.2, 1.2}, []client{
			{threads: 15, exec: second, think: second - 1, work: wide(2)},
			{threads: 15, exec: second, think: second - 1, work: wide(2)},
			{threads: 15, exec: second, think: second - 1, work: wide(2)},
			{threads: 15, exec: second, think: second - 1, work: wide(2)},
			{threads: 15, exec: second, think: second - 1, work: wide(7)},
		}},
		"many flows on many seats": {queues(128, 6, 50), 60, 30 * second, 0.03, []float64{19.747, 19.747, 19.747, 1. / 11, 2. / 3}, []client{
			{threads: 200, exec: second / 10, work: wide(1)},
			{threads: 100, exec: second / 11, work: wide(1)},
			{threads: 50, exec: second / 13, work: wide(1)},
			{threads: 1, exec: second / 10, think: second, work: wide(1)},
			{threads: 4, exec: second / 10, think: second / 2, work: wide(1)},
		}},
		"short requests against long ones": {queues(64, 1, 100), 10, 60 * second, 0.03, []float64{5, 5}, []client{
			{threads: 40, exec: second / 100, work: wide(1)},
			{threads: 40, exec: 2 * second, work: wide(1)},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSimulation(t, c.config, c.limit, c.clients...)
			assertShares(t, c.expected, s.shares(c.eval), c.margin)
			s.drain()
		})
	}
}

func TestSeparateRequestsAndPaddingGetExactlyWhatTheyAskFor(t *testing.T) {
	second := time.Second
	for _, c := range []struct {
		think, pad time.Duration
		final      int
		limit      int
		clients    int
		share      float64 // of each client, in seats
	}{
		{think: second, limit: 1, clients: 1, share: 0.5},
		{think: second, limit: 2, clients: 2, share: 0.5},
		{think: second, pad: second / 2, final: 1, limit: 1, clients: 1, share: 0.5},
		{think: second, pad: second / 2, final: 1, limit: 2, clients: 1, share: 0.5},
		{think: second, pad: second / 2, final: 2, limit: 2, clients: 1, share: 0.5},
		{think: second, pad: second / 2, final: 1, limit: 1, clients: 2, share: 1. / 3},
		{think: second, pad: second / 2, final: 1, limit: 2, clients: 2, share: 0.5},
		{think: second, pad: second / 2, final: 2, limit: 2, clients: 2, share: 1. / 3},
		{think: second / 2, pad: second, final: 1, limit: 1, clients: 1, share: 0.5},
		{think: second / 2, pad: second, final: 1, limit: 2, clients: 1, share: 2. / 3},
		{think: second / 2, pad: second, final: 2, limit: 2, clients: 1, share: 0.5},
		{think: second / 2, pad: second, final: 1, limit: 1, clients: 2, share: 0.25},
		{think: second / 2, pad: second, final: 1, limit: 2, clients: 2, share: 0.5},
		{think: second / 2, pad: second, final: 2, limit: 2, clients: 2, share: 0.25},
	} {
		t.Run(fmt.Sprintf("think %v, %d final seats for %v, %d clients, limit %d", c.think, c.final, c.pad, c.clients, c.limit), func(t *testing.T) {
			one := client{threads: 1, exec: second, think: c.think, work: seats.Work{Initial: 1, Final: c.final, Latency: c.pad}}
			clients := []client{one, one}[:c.clients]
			s := newSimulation(t, queues(9, 3, 8), c.limit, clients...)
			assertShares(t, slices.Repeat([]float64{c.share}, c.clients), s.shares(24*second), 1e-6)
			s.drain()
		})
	}
}

// Issues 91761, 95986, 105160: a flow that cannot use its share for a while
// must not accumulate a claim, and the others must not owe it the seats that it
// left.
func TestWindup(t *testing.T) {
	s := newSimulation(t, queues(9, 1, 6), 3,
		client{threads: 2, exec: time.Second, think: -1, work: wide(1)},
		client{threads: 2, exec: time.Second, think: -1, work: wide(1), halfUntil: 20 * time.Second},
	)
	assertShares(t, []float64{2, 1}, s.shares(20*time.Second), 0.01)
	assertShares(t, []float64{1.5, 1.5}, s.shares(20*time.Second), 0.10)
	s.drain()
}

// The opposite of windup: a flow that becomes active later must not starve
// flows that used spare seats.
func TestLatecomerDoesNotStarveThoseWhoUsedSpareSeats(t *testing.T) {
	const late = 100 * time.Second
	clients := []client{
		{threads: 60, exec: time.Second / 2, work: wide(1)},
		{threads: 60, exec: time.Second / 2, work: wide(1)},
		{threads: 60, exec: time.Second / 2, work: wide(1), from: late},
	}
	for range 18 {
		clients = append(clients, client{threads: 1, exec: time.Second / 10, think: time.Second / 10, work: wide(1)})
	}
	s := newSimulation(t, queues(1000, 1, 1000), 60, clients...)
	s.shares(late)
	got := s.shares(10 * time.Second)
	heavy := got[0] + got[1] + got[2]
	for i := range 3 {
		assert.InDelta(t, heavy/3, got[i], 0.10*heavy/3, "client %d of %.2f", i, got)
	}
	s.drain()
}
