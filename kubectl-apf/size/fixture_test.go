package size_test

import (
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// start is when all requests begin.
func start() time.Time { return time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC) }

// requests is a trace in memory.
type requests []trace.Request

// source reads it.
type source struct{ rest requests }

func (s *source) Read(into *trace.Request) error {
	if len(s.rest) == 0 {
		return io.EOF
	}
	*into, s.rest = s.rest[0], s.rest[1:]
	return nil
}

func (*source) Header() trace.Header { return trace.Header{} }
func (*source) Close() error         { return nil }

// open opens the requests.
func (r requests) open() (simulate.Source, error) { return &source{r}, nil }

// half returns the first or the second half of the time of requests.
func (r requests) half(first bool) requests {
	middle := r[0].Arrival.Add(r[len(r)-1].Arrival.Sub(r[0].Arrival) / 2)
	at := slices.IndexFunc(r, func(one trace.Request) bool { return !one.Arrival.Before(middle) })
	if first {
		return r[:at]
	}
	return r[at:]
}

// client sends requests.
type client struct {
	user, group string
	verb        string
	seats       uint64
	// arrivals are the seconds when it sends, until a time.
	arrivals func(random *rand.Rand, until float64) []float64
	// execution is in seconds.
	execution func(random *rand.Rand) float64
}

// traffic returns the requests of clients in the order of their arrivals.
func traffic(seed uint64, until time.Duration, clients ...client) requests {
	var out requests
	for i, c := range clients {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		for _, at := range c.arrivals(random, until.Seconds()) {
			out = append(out, trace.Request{
				Arrival: start().Add(time.Duration(at * float64(time.Second))), User: c.user, Groups: []string{c.group, "system:authenticated"},
				Verb: c.verb, APIVersion: "v1", Resource: "pods", Namespace: "shop", Client: c.user,
				Execution: &metav1.Duration{Duration: time.Duration(c.execution(random) * float64(time.Second))},
				Seats:     &trace.Seats{Initial: max(c.seats, 1)},
			})
		}
	}
	slices.SortStableFunc(out, func(a, b trace.Request) int { return a.Arrival.Compare(b.Arrival) })
	return out
}

// poisson sends at random times, with a rate per second.
func poisson(rate float64) func(*rand.Rand, float64) []float64 {
	return func(random *rand.Rand, until float64) (at []float64) {
		for t := random.ExpFloat64() / rate; t < until; t += random.ExpFloat64() / rate {
			at = append(at, t)
		}
		return at
	}
}

// bursts sends size requests at one time, with a period in seconds.
func bursts(every float64, size int, within float64) func(*rand.Rand, float64) []float64 {
	return func(random *rand.Rand, until float64) (at []float64) {
		for t := every / 2; t < until; t += every {
			for range size {
				at = append(at, t+within*random.Float64())
			}
		}
		return at
	}
}

// wave sends with a rate that rises and falls within a period.
func wave(mean, period float64) func(*rand.Rand, float64) []float64 {
	return func(random *rand.Rand, until float64) (at []float64) {
		for _, t := range poisson(2*mean)(random, until) {
			if random.Float64() < (1+math.Sin(2*math.Pi*t/period))/2 {
				at = append(at, t)
			}
		}
		return at
	}
}

func constant(seconds float64) func(*rand.Rand) float64 {
	return func(*rand.Rand) float64 { return seconds }
}

func exponential(mean float64) func(*rand.Rand) float64 {
	return func(random *rand.Rand) float64 { return mean * random.ExpFloat64() }
}

func lognormal(median, sigma float64) func(*rand.Rand) float64 {
	return func(random *rand.Rand) float64 { return median * math.Exp(sigma*random.NormFloat64()) }
}

func robot(arrivals func(*rand.Rand, float64) []float64, execution func(*rand.Rand) float64) client {
	return client{user: "system:serviceaccount:shop:robot", group: "system:serviceaccounts", verb: "get", arrivals: arrivals, execution: execution}
}

func person(arrivals func(*rand.Rand, float64) []float64, execution func(*rand.Rand) float64) client {
	return client{user: "alice", group: "people", verb: "get", arrivals: arrivals, execution: execution}
}

func node(arrivals func(*rand.Rand, float64) []float64, execution func(*rand.Rand) float64) client {
	return client{user: "system:node:n", group: "system:nodes", verb: "get", arrivals: arrivals, execution: execution}
}

func builtIn(t testing.TB) configuration.Configuration {
	t.Helper()
	c, err := configuration.BuiltIn("1.33")
	require.NoError(t, err)
	return c
}

func assertions(t testing.TB, texts ...string) (out []*simulate.Assertion) {
	t.Helper()
	for _, text := range texts {
		a, err := simulate.ParseAssertion(text)
		require.NoError(t, err)
		out = append(out, a)
	}
	return out
}

// random is short for the random numbers of clients.
type random = rand.Rand
