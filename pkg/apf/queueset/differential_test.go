package queueset_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	peerqueueset "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// serve lets one request of a client pass, calling execute while it has its
// seats.
type serve func(c *client, execute func())

func ours(t *testing.T, config queueset.Config, limit int) serve {
	layout := stats.NewLayout(4)
	series, hasher := layout.NewSeries("level", "schema"), flow.NewHasher("schema")
	set, err := queueset.New(clock.NewReal(), layout, config, limits(limit))
	require.NoError(t, err)
	return func(c *client, execute func()) {
		r := queueset.NewRequest(0)
		r.Hasher, r.Distinguisher, r.Series, r.Work = hasher, c.flow, series, c.work
		if set.Arrive(r) == queueset.Waiting {
			set.Wait(context.Background(), r)
		}
		execute()
		set.Finish(r)
	}
}

func peers(t *testing.T, config queueset.Config, limit int) serve {
	label := []string{"differential"}
	c := eventclock.Real{}
	completer, err := peerqueueset.NewQueueSetFactory(c).BeginConstruction(
		fq.QueuingConfig{Name: label[0], DesiredNumQueues: config.Queues, HandSize: config.HandSize, QueueLengthLimit: config.QueueLengthLimit},
		metrics.RatioedGaugeVecPhasedElementPair(metrics.PriorityLevelConcurrencyGaugeVec, 1, 1, label),
		metrics.PriorityLevelExecutionSeatsGaugeVec.NewForLabelValuesSafe(0, 1, label),
		fq.NewNamedIntegrator(c, label[0]))
	require.NoError(t, err)
	set := completer.Complete(fq.DispatchingConfig{ConcurrencyLimit: limit, ConcurrencyDenominator: limit})
	return func(c *client, execute func()) {
		work := fcrequest.WorkEstimate{InitialSeats: uint64(c.work.Initial)}
		r, _ := set.StartRequest(context.Background(), &work, uint64(flow.HashOf("schema", c.flow)), c.flow, "schema", nil, nil, nil)
		r.Finish(execute)
	}
}

// run lets the clients send for a minute and returns the seats that each had on
// average.
func run(t *testing.T, clients []client, newServe func(*testing.T) serve) []float64 {
	const d = time.Minute
	served := newSums(len(clients))
	synctest.Test(t, func(t *testing.T) {
		serve := newServe(t)
		begin := time.Now()
		var threads sync.WaitGroup
		for i := range clients {
			c := &clients[i]
			for j := range c.threads {
				threads.Go(func() {
					<-time.After(time.Duration(90*j+20*i) * time.Microsecond)
					for time.Since(begin) < d {
						serve(c, func() {
							from := time.Since(begin)
							<-time.After(c.exec)
							used := max(0, min(time.Since(begin), d)-from)
							served.add(i, float64(c.work.Initial)*used.Seconds()/d.Seconds())
						})
						if c.think > 0 {
							<-time.After(c.think)
						}
					}
				})
			}
		}
		threads.Wait()
	})
	return served.values
}

// sums are floating point numbers that many goroutines add to.
type sums struct {
	mu     sync.Mutex // guards values
	values []float64
}

func newSums(n int) *sums { return &sums{values: make([]float64, n)} }

func (s *sums) add(i int, x float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[i] += x
}

// distance is how far the shares are from those expected, in parts of the limit.
func distance(got, expected []float64, limit int) float64 {
	sum := 0.0
	for i := range expected {
		sum += (got[i] - expected[i]) * (got[i] - expected[i])
	}
	return math.Sqrt(sum) / float64(limit)
}

// alike reports whether every client has the same in both, give or take a
// hundredth of the limit.
func alike(mine, theirs []float64, limit int) bool {
	for i := range mine {
		if math.Abs(mine[i]-theirs[i]) > 0.01*float64(limit) {
			return false
		}
	}
	return true
}

// Over random traffic of elephants, of any width, and mice: each client gets
// the same as from the peer, within 1 % of the limit, or all of them together
// are closer to the shares that max-min fairness would give them.
//
// How the requests of one moment are ordered is left to the scheduler of
// goroutines, and a minute holds only so many requests: where ours is as far off
// as the peer, it may be further by 1 %. One scenario, 7, goes beyond that: a
// client with one thread that nonetheless wants its full share, of 3 seats, with
// requests of 4. It uses one queue where each elephant uses its whole hand, and
// queues are what is served alike; the peer forgives a queue that runs empty
// what it had beyond its share, which here happens to make up for that.
func TestSharesAreCloserToMaxMinThanThePeers(t *testing.T) {
	const scenarios = 60
	ourSum, peerSum, exceptions := 0.0, 0.0, 0
	for seed := range uint64(scenarios) {
		t.Run(fmt.Sprint("random traffic ", seed), func(t *testing.T) {
			config, limit, clients := randomTraffic(seed)
			(&simulation{t: t, clients: clients}).nameFlows(config)
			mine := run(t, clients, func(t *testing.T) serve { return ours(t, config, limit) })
			theirs := run(t, clients, func(t *testing.T) serve { return peers(t, config, limit) })
			expected := reachable(clients, limit)
			u, v := distance(mine, expected, limit), distance(theirs, expected, limit)
			if !alike(mine, theirs, limit) && u > v+0.01 {
				exceptions++
				assert.LessOrEqual(t, u, v+0.06, "of %d seats ours gives %.2f, the peer %.2f, expected are %.2f", limit, mine, theirs, expected)
			}
			ourSum, peerSum = ourSum+u, peerSum+v
		})
	}
	t.Logf("on average ours is off by %.4f of the limit, the peer by %.4f; %d exceptions", ourSum/scenarios, peerSum/scenarios, exceptions)
	assert.LessOrEqual(t, exceptions, 2)
	assert.Less(t, ourSum, 0.6*peerSum)
}

func randomTraffic(seed uint64) (config queueset.Config, limit int, clients []client) {
	random := rand.New(rand.NewPCG(seed, 7))
	config, limit = queues(64, 1+random.IntN(4), 1000), 3+random.IntN(25)
	for range 2 + random.IntN(4) {
		c := client{
			threads: 2*limit + random.IntN(40),
			exec:    time.Duration(20+random.IntN(700)) * time.Millisecond,
			think:   time.Duration(random.IntN(500)) * time.Millisecond,
			work:    wide(1 + random.IntN(4)*random.IntN(2)),
		}
		if random.IntN(3) == 0 {
			c.threads, c.think = 1, c.think+5*c.exec
		}
		clients = append(clients, c)
	}
	return config, limit, clients
}

// What the peer shares out exactly, ours shares out alike.
func TestPlainTrafficIsServedAsByThePeer(t *testing.T) {
	for name, clients := range map[string][]client{
		"two equal flows": {
			{threads: 30, exec: 100 * time.Millisecond, work: wide(1)}, {threads: 30, exec: 100 * time.Millisecond, work: wide(1)},
		},
		"an elephant and mice": {
			{threads: 60, exec: 90 * time.Millisecond, work: wide(1)},
			{threads: 1, exec: 50 * time.Millisecond, think: time.Second, work: wide(1)}, {threads: 1, exec: 50 * time.Millisecond, think: time.Second, work: wide(1)},
		},
		"enough seats for everybody": {
			{threads: 3, exec: 100 * time.Millisecond, think: 50 * time.Millisecond, work: wide(1)}, {threads: 2, exec: 70 * time.Millisecond, think: 10 * time.Millisecond, work: wide(2)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			const limit = 10
			config := queues(64, 3, 1000)
			(&simulation{t: t, clients: clients}).nameFlows(config)
			mine := run(t, clients, func(t *testing.T) serve { return ours(t, config, limit) })
			theirs := run(t, clients, func(t *testing.T) serve { return peers(t, config, limit) })
			for i := range clients {
				assert.InDelta(t, theirs[i], mine[i], 0.01*limit, "client %d: ours %.3f, the peer's %.3f", i, mine, theirs)
			}
		})
	}
}
