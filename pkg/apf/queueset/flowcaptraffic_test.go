package queueset_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// capChecker checks after each event that no flow has started a request beyond its cap
// while a request of another flow waited.
type capChecker struct {
	s       *simulation
	most    int // seats
	started map[int]bool
	waited  map[*queueset.Request]int // who waited before the event, by client
	bound   int                       // how often the cap was reached
}

func newCapChecker(s *simulation, most int) *capChecker {
	return &capChecker{s: s, most: most, started: map[int]bool{}, waited: map[*queueset.Request]int{}}
}

// use returns seats and number of the requests of a client that execute.
func (c *capChecker) use(client int) (seats, requests int) {
	for _, e := range c.s.running {
		if e.client == client {
			seats += e.seats
			requests++
		}
	}
	return seats, requests
}

func (c *capChecker) run(d time.Duration) {
	before := map[*queueset.Request]bool{}
	end := c.s.clock.Now() + d
	for c.s.clock.StepUpTo(end) {
		c.check(before)
		clear(before)
		for r := range c.s.running {
			before[r] = true
		}
		clear(c.waited)
		maps.Copy(c.waited, c.s.waiting)
		require.NoError(c.s.t, c.s.set.Inconsistency())
	}
}

func (c *capChecker) check(before map[*queueset.Request]bool) {
	clear(c.started)
	for r, e := range c.s.running {
		if !before[r] {
			c.started[e.client] = true
		}
	}
	for client := range c.started {
		seats, requests := c.use(client)
		if !c.othersWait(client) {
			continue
		}
		assert.True(c.s.t, seats <= c.most || requests == 1, "client %d uses %d seats with %d requests, beyond %d, while others wait", client, seats, requests, c.most)
		if seats == c.most {
			c.bound++
		}
	}
}

// othersWait reports whether a request of another client waited before the event and waits
// after it.
func (c *capChecker) othersWait(client int) bool {
	for r, owner := range c.waited {
		if _, waits := c.s.waiting[r]; waits && owner != client {
			return true
		}
	}
	return false
}

func TestNoFlowStartsBeyondItsCapWhileOthersWait(t *testing.T) {
	bound := 0
	for seed := range lane.Pick[uint64](30, 300) {
		t.Run(fmt.Sprint("random traffic ", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 47))
			between := func(low, high int) time.Duration { return time.Duration(low+random.IntN(high-low)) * time.Millisecond }
			limit, percent := 4+random.IntN(30), 1+random.IntN(60)
			var clients []client
			for range 2 + random.IntN(6) {
				c := client{threads: 1 + random.IntN(30), exec: between(5, 300), work: wide(1)}
				if random.IntN(3) == 0 {
					c.work = wide(1 + random.IntN(limit+2))
				}
				if random.IntN(2) == 0 {
					c.think = between(1, 500)
				}
				clients = append(clients, c)
			}
			config := capped(queues([]int{1, 16, 128}[random.IntN(3)], 1, 1000), percent)
			if config.Queues > 1 {
				config.HandSize = 1 + random.IntN(5)
			}
			s := newSimulation(t, config, limit, clients...)
			c := newCapChecker(s, limit*percent/100)
			c.run(5 * time.Second)
			bound += c.bound
			s.drain()
		})
	}
	assert.Greater(t, bound, 1000, "the cap binds")
}
