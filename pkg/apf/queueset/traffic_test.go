package queueset_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// serve sends one request of a client. It calls execute while the request has
// its seats, unless the request is rejected or ctx ends first.
type serve func(ctx context.Context, c *client, execute func())

func ours(t *testing.T, config queueset.Config, limit int) serve {
	layout := stats.NewLayout()
	series, hasher := layout.NewSeries("level", "schema"), flow.NewHasher("schema", new(flow.HashCache))
	set, err := queueset.New(clock.NewReal(), config, limits(limit))
	require.NoError(t, err)
	return func(ctx context.Context, c *client, execute func()) {
		r := new(queueset.Request)
		r.Hasher, r.Distinguisher, r.Flow, r.Series, r.Work = hasher, c.flow, c.flow, series, c.work
		outcome := set.Arrive(r)
		if outcome == queueset.Waiting {
			outcome = set.Wait(ctx, r, nil)
		}
		if outcome == queueset.Seated {
			execute()
			set.Finish(r)
		}
	}
}

// minute is the duration of the measurement.
const minute = time.Minute

// traffic is a minute of requests that clients send to one engine.
type traffic struct {
	clients []client
	begin   time.Time
	serve   serve
	served  *sums // average seats of each client
}

// request sends one request of client i, which executes for exec.
func (m *traffic) request(ctx context.Context, i int, exec time.Duration) {
	c := &m.clients[i]
	m.serve(ctx, c, func() {
		from := time.Since(m.begin)
		<-time.After(exec)
		used := max(0, min(time.Since(m.begin), minute)-from)
		m.served.add(i, float64(c.work.Initial)*used.Seconds()/minute.Seconds())
	})
}

// run returns each client's average seats while send sends the requests.
func run(t *testing.T, clients []client, newServe func(*testing.T) serve, send func(*traffic)) []float64 {
	m := traffic{clients: clients, served: newSums(len(clients))}
	synctest.Test(t, func(t *testing.T) {
		m.begin, m.serve = time.Now(), newServe(t)
		send(&m)
	})
	return m.served.values
}

// extra is short beside every execution.
const extra = 100 * time.Microsecond

// inTurn makes each thread send a request when the previous one has ended.
// Pauses and executions have the client's durations times a random factor, and up to
// extra more: threads that are due at once would run in any order, and each order has
// other waits.
func inTurn(factor func(*rand.Rand) float64) func(*traffic) {
	return func(m *traffic) {
		var threads sync.WaitGroup
		for i, c := range m.clients {
			for j := range c.threads {
				random := rand.New(rand.NewPCG(uint64(i), uint64(j)))
				vary := func(d time.Duration) time.Duration {
					return time.Duration(float64(d)*factor(random)) + time.Duration(random.Int64N(int64(extra)))
				}
				threads.Go(func() {
					<-time.After(vary(time.Duration(90*j+20*i) * time.Microsecond))
					for time.Since(m.begin) < minute {
						m.request(context.Background(), i, vary(c.exec))
						if c.think > 0 {
							<-time.After(vary(c.think))
						}
					}
				})
			}
		}
		threads.Wait()
	}
}

func exactly(*rand.Rand) float64 { return 1 }

func roughly(random *rand.Rand) float64 { return 0.5 + random.Float64() }

// arrival is a request that arrives independently of all others.
type arrival struct {
	at, exec time.Duration
	client   int
}

// arrivalsOf returns random arrivals of a minute, as many as if the clients
// never waited, and clients with the same demand. Executions last up to a
// millisecond longer than the client's duration. Otherwise executions could end
// at the same time, and the Go scheduler would choose the first and so affect
// the shares.
func arrivalsOf(clients []client, random *rand.Rand) ([]arrival, []client) {
	var out []arrival
	wanting := slices.Clone(clients)
	for i := range clients {
		c := &wanting[i]
		wanted, mean := time.Duration(0), float64(c.exec+c.think)/float64(c.threads)
		for at := random.ExpFloat64() * mean; at < float64(minute); at += random.ExpFloat64() * mean {
			one := arrival{at: time.Duration(at), exec: c.exec + time.Duration(random.IntN(int(time.Millisecond))), client: i}
			out = append(out, one)
			wanted += min(one.exec, minute-one.at)
		}
		c.think = time.Duration(float64(c.exec)*float64(c.threads)*minute.Seconds()/wanted.Seconds()) - c.exec
	}
	slices.SortFunc(out, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	return out, wanting
}

// given sends the requests at their times.
func given(arrivals []arrival) func(*traffic) {
	return func(m *traffic) {
		ctx, cancel := context.WithTimeout(context.Background(), minute)
		defer cancel()
		var requests sync.WaitGroup
		for _, a := range arrivals {
			<-time.After(a.at - time.Since(m.begin))
			requests.Go(func() { m.request(ctx, a.client, a.exec) })
		}
		requests.Wait()
	}
}

// sums is a list of numbers that goroutines add to concurrently.
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
