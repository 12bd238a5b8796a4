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
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// bounds checks waits against the bound that the package comment proves.
type bounds struct {
	s       *simulation
	limit   int
	longest map[*queueset.Request]time.Duration // of requests that wait
	checked int
}

// expect computes the bound of r, which has just begun to wait, if the proof
// applies: r has one seat, and its flow is not beyond R and has no other request that waits. Flows
// have numbers of their own, see nameFlows.
func (b *bounds) expect(r *queueset.Request) {
	dump, clients := b.s.set.Dump(), map[string]client{}
	for _, c := range b.s.clients {
		clients[c.flow] = c
	}
	longest, waiting, widest, own := map[string]float64{}, 0, 1, -1
	for _, one := range dump.Requests {
		if one.Place < 0 {
			continue
		}
		c := clients[one.Distinguisher]
		longest[one.Distinguisher] = max(longest[one.Distinguisher], float64(c.work.Initial)*c.exec.Seconds())
		widest = max(widest, min(c.work.Initial, b.limit))
		if one.Distinguisher == r.Distinguisher {
			own = one.Queue
			waiting++
		}
	}
	for _, q := range dump.Active {
		if q.Index == own && (waiting > 1 || q.NextDispatchR > b.s.set.Figures().CurrentR) {
			return
		}
	}
	work := 0.0
	for flow, most := range longest {
		if flow != r.Distinguisher {
			work += 2 * most
		}
	}
	for _, e := range b.s.running {
		work += float64(e.seats) * (e.until - b.s.clock.Now()).Seconds()
	}
	b.longest[r] = time.Duration(work / float64(b.limit-widest+1) * float64(time.Second))
}

// compare compares the wait of r, which starts, with its bound.
func (b *bounds) compare(r *queueset.Request) {
	if most, ok := b.longest[r]; ok {
		assert.LessOrEqual(b.s.t, b.s.clock.Now()-r.Arrived(), most+time.Microsecond, "wait of %s", r.Distinguisher)
		delete(b.longest, r)
		b.checked++
	}
}

// There is at most one client with wide requests, so that no request is overtaken.
func TestANewcomerWaitsAtMostAsLongAsProved(t *testing.T) {
	checked := 0
	for seed := range lane.Pick[uint64](20, 200) {
		t.Run(fmt.Sprint("random traffic ", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 29))
			between := func(low, high int) time.Duration { return time.Duration(low+random.IntN(high-low)) * time.Millisecond }
			limit := 4 + random.IntN(20)
			mice := 1 + random.IntN(3)
			var clients []client
			for range mice {
				clients = append(clients, client{threads: 1, exec: between(5, 50), think: between(50, 400), work: wide(1)})
			}
			for range 2 + random.IntN(7) {
				clients = append(clients, client{threads: 3 + random.IntN(20), exec: between(20, 200), work: wide(1)})
			}
			if random.IntN(4) > 0 {
				clients = append(clients, client{threads: 1, exec: between(300, 1000), think: between(500, 5000), work: wide(2 + random.IntN(9))})
			}
			s := newSimulation(t, queues(128, 1+random.IntN(6), 1000), limit, clients...)
			b := bounds{s: s, limit: limit, longest: map[*queueset.Request]time.Duration{}}
			s.onStart = b.compare
			s.onWait = func(i int, r *queueset.Request) {
				if i < mice {
					b.expect(r)
				}
			}
			s.advance(10 * time.Second)
			checked += b.checked
			s.drain()
		})
	}
	require.Greater(t, checked, 1000)
}
