//go:build !race

package queueset_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// A wide request collects seats. A newcomer passes it if it uses no more than a request does on average,
// so the wide one waits for at most that more.
func TestANewcomerPassesAWideRequestOnce(t *testing.T) {
	f := newFixture(t, queues(64, 1, 10), 4)
	held := f.arrive("a", wide(2), queueset.Seated)
	broad := f.arrive("wide", wide(4), queueset.Waiting)
	f.clock.Advance(time.Millisecond)
	f.arrive("mouse", wide(1), queueset.Waiting)
	f.set.Finish(held)
	assert.True(t, dispatched(broad))
}

// Seats that are kept free are charged to nobody: what a flow owes is what it used.
func TestSeatsKeptFreeAreChargedToNobody(t *testing.T) {
	f := newFixture(t, queues(64, 1, 10), 4)
	held := f.arrive("a", wide(2), queueset.Seated)
	broad := f.arrive("wide", wide(4), queueset.Waiting)
	behind := f.arrive("wide", wide(4), queueset.Waiting)
	f.clock.Advance(time.Second)
	f.set.Finish(held)
	require.True(t, dispatched(broad))
	f.clock.Advance(time.Second)
	f.set.Finish(broad)
	require.True(t, dispatched(behind))
	f.arrive("wide", wide(4), queueset.Waiting)
	before := f.set.Figures().NextS.Min
	f.clock.Advance(time.Second)
	assert.InDelta(t, 4, f.set.Figures().NextS.Min-before, 4, "four seats for a second, of which some were charged before")
}

// A queue that becomes active starts at R, and R advances until newcomers come
// after the wide request. So they overtake it only briefly.
func TestNarrowNewcomersDoNotStarveAWideFlow(t *testing.T) {
	const limit, mice = 8, 60
	clients := []client{{threads: 10, exec: time.Second / 20, work: wide(limit)}}
	for range mice {
		clients = append(clients, client{threads: 1, exec: time.Second / 20, think: time.Second / 20, work: wide(1)})
	}
	s := newSimulation(t, queues(1000, 1, 100), limit, clients...)
	s.shares(10 * time.Second)
	got := s.shares(60 * time.Second)
	assert.Greater(t, got[0], 0.9*float64(limit)/(mice+1), "seats of the wide flow")
	s.drain()
}

// New flows arrive all the time, and five of their requests execute at any time.
func TestNewFlowsDoNotOvertakeWideRequestsForEver(t *testing.T) {
	for name, c := range map[string]struct {
		wide int
		most time.Duration // of their waits
	}{
		// Only those come first that arrive until R has advanced by seven times G.
		"one wide request is not overtaken": {1, 150 * time.Millisecond},
		// Half a second at full use is 0.8 s with five of eight seats. Before that all earlier
		// requests end, and afterwards the ones that overtook, and one of the two.
		"two wide requests are overtaken for half a second": {2, 1200 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			clients := slices.Repeat([]client{{threads: 1, exec: 100 * time.Millisecond, think: time.Hour, work: wide(8), from: time.Second}}, c.wide)
			for i := range 500 {
				clients = append(clients, client{threads: 1, exec: 100 * time.Millisecond, think: time.Hour, work: wide(1), from: time.Duration(i) * 20 * time.Millisecond})
			}
			s := newSimulation(t, queues(1000, 1, 10), 8, clients...)
			started := 0
			s.onStart = func(r *queueset.Request) {
				if r.Work.Initial == 8 {
					started++
					assert.LessOrEqual(t, s.clock.Now()-r.Arrived(), c.most)
				}
			}
			s.advance(10 * time.Second)
			assert.Equal(t, c.wide, started)
			s.drain()
		})
	}
}
