package findings

import (
	"container/heap"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"
)

// begin is when the requests of these tests begin.
func begin() time.Time { return time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC) }

// worker is a worker of a client, which sends when it is free.
type workers []time.Time

func (w workers) Len() int           { return len(w) }
func (w workers) Less(a, b int) bool { return w[a].Before(w[b]) }
func (w workers) Swap(a, b int)      { w[a], w[b] = w[b], w[a] }
func (w *workers) Push(at any)       { *w = append(*w, at.(time.Time)) }
func (w *workers) Pop() any {
	last := (*w)[len(*w)-1]
	*w = (*w)[:len(*w)-1]
	return last
}

// client sends requests with some workers. Each waits for client-go's limiter, in virtual time, and
// then for its answer.
func client(limiter *rate.Limiter, count, parallel int, took, network func() time.Duration) []arrival {
	free := make(workers, parallel)
	for i := range free {
		free[i] = begin()
	}
	heap.Init(&free)
	arrivals := make([]arrival, 0, count)
	for range count {
		now := heap.Pop(&free).(time.Time)
		sent := now.Add(limiter.ReserveN(now, 1).DelayFrom(now))
		at := sent.Add(network())
		end := at.Add(took())
		arrivals = append(arrivals, arrival{at, end})
		heap.Push(&free, end)
	}
	return arrivals
}

func TestAClientWithALimitHasAPace(t *testing.T) {
	for _, test := range []struct {
		name            string
		qps             float64
		burst, parallel int
		took            time.Duration
		wantBurst       int
	}{
		{"the defaults of client-go", 5, 10, 2, 40 * time.Millisecond, 10},
		{"one worker", 5, 10, 1, 20 * time.Millisecond, 10},
		{"controller-runtime", 20, 30, 10, 30 * time.Millisecond, 30},
		{"kubelet and kubectl", 50, 100, 20, 30 * time.Millisecond, 100},
		{"answers that take longer than the period, and no burst", 10, 1, 10, 400 * time.Millisecond, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			spread := func(mean time.Duration) func() time.Duration {
				return func() time.Duration { return time.Duration(random.ExpFloat64() * float64(mean)) }
			}
			limiter := rate.NewLimiter(rate.Limit(test.qps), test.burst)
			arrivals := client(limiter, 600, test.parallel, spread(test.took), spread(200*time.Microsecond))
			got, found := longestPace(arrivals)
			require.True(t, found)
			assert.Equal(t, test.qps, got.perSecond)
			assert.InDelta(t, test.wantBurst, got.burst, 1+0.15*float64(test.wantBurst), "tokens come during the burst too")
			assert.Greater(t, got.requests, 400)
		})
	}
}

func TestOtherClientsHaveNoPace(t *testing.T) {
	unlimited := func() *rate.Limiter { return rate.NewLimiter(rate.Inf, 0) }
	constant := func(d time.Duration) func() time.Duration { return func() time.Duration { return d } }
	for _, test := range []struct {
		name     string
		arrivals func(random *rand.Rand) []arrival
	}{
		{"one after the other, all of the same duration", func(*rand.Rand) []arrival {
			return client(unlimited(), 600, 1, constant(200*time.Millisecond), constant(0))
		}},
		{"one after the other, of random length", func(random *rand.Rand) []arrival {
			return client(unlimited(), 600, 1, func() time.Duration { return time.Duration(random.ExpFloat64() * float64(50*time.Millisecond)) }, constant(0))
		}},
		{"several at a time, of random length", func(random *rand.Rand) []arrival {
			return client(unlimited(), 2000, 5, func() time.Duration { return time.Duration(random.ExpFloat64() * float64(50*time.Millisecond)) }, constant(0))
		}},
		{"all at once, and then one after the other", func(*rand.Rand) []arrival {
			all := client(unlimited(), 10, 10, constant(130*time.Millisecond), constant(0))
			return append(all, client(unlimited(), 600, 1, constant(130*time.Millisecond), constant(0))...)
		}},
		{"all at once, and then now and again", func(*rand.Rand) []arrival {
			all, at := client(unlimited(), 10, 10, constant(10*time.Millisecond), constant(0)), begin()
			for k := range 90 {
				at = at.Add(200 * time.Millisecond)
				if k > 22 {
					at = at.Add(400 * time.Millisecond)
				}
				all = append(all, arrival{at, at.Add(time.Millisecond)})
			}
			return all
		}},
		{"a poll five times a second", func(*rand.Rand) []arrival {
			var all []arrival
			for k := range 600 {
				at := begin().Add(time.Duration(k) * 200 * time.Millisecond)
				all = append(all, arrival{at, at.Add(5 * time.Millisecond)})
			}
			return all
		}},
		{"random arrivals", func(random *rand.Rand) []arrival {
			at, all := begin(), []arrival{}
			for range 2000 {
				at = at.Add(time.Duration(random.ExpFloat64() * float64(50*time.Millisecond)))
				all = append(all, arrival{at, at.Add(time.Second)})
			}
			return all
		}},
		{"a limit that rarely binds", func(random *rand.Rand) []arrival {
			limiter, at, all := rate.NewLimiter(20, 30), begin(), []arrival{}
			for range 2000 {
				at = at.Add(time.Duration(random.ExpFloat64() * float64(100*time.Millisecond)))
				sent := at.Add(limiter.ReserveN(at, 1).DelayFrom(at))
				all = append(all, arrival{sent, sent.Add(10 * time.Millisecond)})
			}
			return all
		}},
		{"too few", func(*rand.Rand) []arrival {
			return client(rate.NewLimiter(5, 10), 40, 2, constant(time.Millisecond), constant(0))
		}},
		{"none", func(*rand.Rand) []arrival { return nil }},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, found := longestPace(test.arrivals(rand.New(rand.NewPCG(3, 4))))
			assert.False(t, found, "%+v", got)
		})
	}
}
