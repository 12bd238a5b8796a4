//go:build !race

package queueset_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// The margins allow for what depends on when other requests happen to end: a part
// of an elephant's request for the median, one such request for the rest.
const (
	medianMargin = 20 * time.Millisecond
	tailMargin   = 100 * time.Millisecond
	// A wide request that is due later than others, since its flow is expected to use more, waits for
	// two requests of an elephant.
	wideMargin = 300 * time.Millisecond
)

// assertPrompt asserts that no quantile of the clients' waits is longer than the
// peer's by more than a margin.
func assertPrompt(t *testing.T, mine, theirs *service, clients []client, median, tail time.Duration) {
	t.Helper()
	for q, margin := range map[float64]time.Duration{0.5: median, 0.99: tail} {
		assert.LessOrEqual(t, mine.waits.quantile(q, clients), theirs.waits.quantile(q, clients)+margin, "quantile %g of the waits", q)
	}
}

func elephants(n, threads int) []client {
	return slices.Repeat([]client{{threads: threads, exec: 100 * time.Millisecond, work: wide(1)}}, n)
}

// list is a client with a list of ten seats for a second.
func list(every time.Duration) []client {
	return []client{{threads: 1, exec: time.Second, think: every - time.Second, work: wide(10)}}
}

// Lists overrun the share of their flow, and R led all queues that waited
// afterwards. A mouse with one request at a time then waited behind all of them.
//
// A mix of hundreds of threads takes the peer many seconds. The short lane has two mixes of fewer; the long
// lane has all.
func TestMiceDoNotPayForTheListsOfOthers(t *testing.T) {
	const limit = 20
	mouse := client{threads: 1, exec: 10 * time.Millisecond, think: 190 * time.Millisecond, work: wide(1)}
	for name, c := range map[string]struct {
		hand   int
		others []client
		short  bool // also in the short lane
	}{
		"a list each ten seconds among few hands of six":  {6, append(list(10*time.Second), elephants(6, 10)...), true},
		"a list each ten seconds among single queues":     {1, append(list(10*time.Second), elephants(12, 10)...), true},
		"a list each ten seconds among hands of six":      {6, append(list(10*time.Second), elephants(12, 40)...), false},
		"one list for good among single queues":           {1, append(list(time.Hour), elephants(72, 7)...), false},
		"no list":                                         {6, elephants(12, 40), false},
		"a wide request each second among single queues":  {1, append([]client{{threads: 1, exec: 100 * time.Millisecond, think: 900 * time.Millisecond, work: wide(10)}}, elephants(12, 40)...), false},
		"few elephants whose lists use less than a share": {6, append(list(5*time.Second), elephants(3, 40)...), false},
		"bursts of forty requests":                        {6, append(list(10*time.Second), slices.Repeat([]client{{threads: 40, exec: 100 * time.Millisecond, think: time.Second / 2, work: wide(1)}}, 3)...), false},
		"several wide requests that are collected for":    {2, append(slices.Repeat([]client{{threads: 20, exec: 200 * time.Millisecond, work: wide(4)}}, 2), elephants(3, 40)...), false},
	} {
		if !c.short && !lane.Long {
			continue
		}
		for pace, factor := range map[string]func(*rand.Rand) float64{"in step": exactly, "at random": roughly} {
			t.Run(name+", "+pace, func(t *testing.T) {
				m := mix{config: queues(128, c.hand, 1000), limit: limit, clients: append([]client{mouse}, c.others...)}
				(&simulation{t: t, clients: m.clients}).nameFlows(m.config)
				mine, theirs := serviceOf(t, m, ours, inTurn(factor)), serviceOf(t, m, peers, inTurn(factor))
				mice := m.clients[:1]
				assertPrompt(t, mine, theirs, mice, medianMargin, tailMargin)
				assert.LessOrEqual(t, mine.waits.quantile(0.5, mice), medianMargin)
				expected := reachable(m.clients, limit)
				assert.LessOrEqual(t, distance(mine.shares, expected, limit), distance(theirs.shares, expected, limit)+0.01)
			})
		}
	}
}

// crowdedMix is a mix with its mice, and its clients with wide requests that use less than their
// share.
type crowdedMix struct {
	mix
	mice, thrifty []client
	expected      []float64
	send          func(*traffic)
}

// crowdedTraffic returns mice, lists of many widths, bursts, and elephants, some with wide
// requests.
func crowdedTraffic(t *testing.T, seed uint64) crowdedMix {
	random := rand.New(rand.NewPCG(seed, 31))
	between := func(low, high int) time.Duration { return time.Duration(low+random.IntN(high-low)) * time.Millisecond }
	m := crowdedMix{mix: mix{config: queues(128, 1+random.IntN(6), 1000), limit: 8 + random.IntN(30)}}
	mice, lists := 1+random.IntN(4), random.IntN(4)
	for range mice {
		m.clients = append(m.clients, client{threads: 1, exec: between(5, 50), think: between(150, 900), work: wide(1)})
	}
	for range lists {
		m.clients = append(m.clients, client{threads: 1, exec: between(100, 1500), think: between(2000, 15000), work: wide(2 + random.IntN(9))})
	}
	for range random.IntN(3) {
		m.clients = append(m.clients, client{threads: 5 + random.IntN(40), exec: between(20, 200), think: between(500, 4000), work: wide(1)})
	}
	for range 1 + random.IntN(11) {
		c := client{threads: 5 + random.IntN(40), exec: between(20, 250), work: wide(1)}
		if random.IntN(8) == 0 {
			c.work = wide(1 + random.IntN(6))
		}
		m.clients = append(m.clients, c)
	}
	m.send = inTurn(roughly)
	if random.IntN(2) == 0 {
		m.send = inTurn(exactly)
	}
	(&simulation{t: t, clients: m.clients}).nameFlows(m.config)
	m.mice, m.expected = m.clients[:mice], reachable(m.clients, m.limit)
	share := slices.Max(m.expected)
	for _, c := range m.clients[mice : mice+lists] {
		if c.demand(c.threads) < 0.8*share {
			m.thrifty = append(m.thrifty, c)
		}
	}
	return m
}

// Whatever others send, mice wait no longer than with the peer, and no mix is served
// further from max-min. Wide requests of flows that use less than their share wait
// for seats to be collected, so a single one may wait longer than with the peer. Their
// medians are no longer in any mix, and their 99th percentiles on average.
func TestThoseWhoUseLittleWaitNoLongerThanWithThePeer(t *testing.T) {
	var c comparison
	var mine, theirs time.Duration // 99th percentiles of wide requests
	for seed := range lane.Pick[uint64](30, 200) {
		t.Run(fmt.Sprint("random traffic ", seed), func(t *testing.T) {
			m := crowdedTraffic(t, seed)
			one, other := serviceOf(t, m.mix, ours, m.send), serviceOf(t, m.mix, peers, m.send)
			assertPrompt(t, one, other, m.mice, medianMargin, tailMargin)
			assert.LessOrEqual(t, one.waits.quantile(0.5, m.thrifty), other.waits.quantile(0.5, m.thrifty)+wideMargin, "median wait of wide requests")
			mine += one.waits.quantile(0.99, m.thrifty)
			theirs += other.waits.quantile(0.99, m.thrifty)
			r := result{limit: m.limit, mine: one.shares, theirs: other.shares, expected: m.expected}
			c.count(&r)
			r.assertCloser(t, 0.02, false) // threads that are due at once run in any order, which moves the distance by up to 0.006
		})
	}
	assert.Less(t, mine, theirs)
	c.finish(t, 0.7)
}
