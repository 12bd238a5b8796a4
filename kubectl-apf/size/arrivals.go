package size

import (
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

const (
	// flowsPerSchema is the number of equal flows that a flow schema is assumed to have.
	flowsPerSchema = 20
	// shortestFit and mostRequests bound what is generated.
	shortestFit  = 3 * time.Minute
	mostRequests = 150_000
)

// Generate returns what opens requests as those between the scrapes, see the package comment,
// and sentences about them. They arrive for as long as the scrapes are apart, and for
// three minutes at least, but not longer if that were too many requests.
func (m *Measured) Generate() (open func() (simulate.Source, error), notes []string) {
	total := 0.0
	for i := range m.streams {
		total += m.streams[i].perSecond
	}
	length := min(max(m.Elapsed, shortestFit), max(shortestFit, time.Duration(mostRequests/total*float64(time.Second))))
	random := rand.New(rand.NewPCG(0, 0)) //nolint:gosec // a simulation must be repeatable
	var all []trace.Request
	for i := range m.streams {
		all = append(all, m.generate(&m.streams[i], length, random)...)
	}
	slices.SortStableFunc(all, func(a, b trace.Request) int { return a.Arrival.Compare(b.Arrival) })
	header := trace.Header{Source: trace.SourceScenario, Requests: int64(len(all)), Replicas: m.Servers}
	notes = append(slices.Clone(m.Notes),
		fmt.Sprintf("No request is known, only rates and histograms of %s. Requests are generated for %s: random arrivals, execution and width independent of each other, %d equal flows in each flow schema.", m.Elapsed, length.Round(time.Second), flowsPerSchema),
		"Rejected requests count as arrivals, their repetitions too. Requests of exempt levels take no seats, and are left out.")
	return func() (simulate.Source, error) { return &generated{header: header, rest: all}, nil }, notes
}

// generate returns the requests of a stream.
func (m *Measured) generate(s *stream, length time.Duration, random *rand.Rand) []trace.Request {
	execution, width := m.samplerOf(s, func(s *stream) replica.Histogram { return s.execution }), m.samplerOf(s, func(s *stream) replica.Histogram { return s.width })
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var out []trace.Request
	for at := random.ExpFloat64() / s.perSecond; at < length.Seconds(); at += random.ExpFloat64() / s.perSecond {
		out = append(out, trace.Request{
			Arrival: start.Add(time.Duration(at * float64(time.Second))), Replica: s.server, Verb: "get", Path: "/",
			FlowSchema: s.schema, PriorityLevel: s.level, Client: "flow-" + strconv.Itoa(random.IntN(flowsPerSchema)),
			Execution: &metav1.Duration{Duration: time.Duration(execution.within(random) * float64(time.Second))},
			Seats:     &trace.Seats{Initial: uint64(width.whole(random))},
		})
	}
	return out
}

// samplerOf returns the distribution of a stream. One without values, since all its requests were
// rejected or still execute, has the distribution of its level, or of all.
func (m *Measured) samplerOf(s *stream, of func(*stream) replica.Histogram) sampler {
	for _, like := range []func(*stream) bool{
		func(o *stream) bool { return o == s },
		func(o *stream) bool { return o.level == s.level },
		func(*stream) bool { return true },
	} {
		sum := replica.Histogram{Buckets: map[float64]uint64{}}
		for i := range m.streams {
			if o := &m.streams[i]; like(o) {
				h := of(o)
				sum.Sum, sum.Count = sum.Sum+h.Sum, sum.Count+h.Count
				for bound, count := range h.Buckets {
					sum.Buckets[bound] += count
				}
			}
		}
		if sum.Count > 0 {
			return newSampler(sum)
		}
	}
	return sampler{mean: 1} // a second, or a seat
}

// sampler draws from a histogram.
type sampler struct {
	bounds []float64 // upper ones, finite
	parts  []float64 // cumulative, of bounds
	mean   float64
	// within and upper are the factors that give drawn values the mean of the histogram.
	scaleWithin, scaleUpper float64
}

func newSampler(h replica.Histogram) sampler {
	s := sampler{mean: h.Sum / float64(h.Count)}
	lower, counted := 0.0, uint64(0)
	meanWithin, meanUpper := 0.0, 0.0
	for _, bound := range slices.Sorted(maps.Keys(h.Buckets)) {
		part := float64(h.Buckets[bound]-counted) / float64(h.Count)
		counted = h.Buckets[bound]
		if math.IsInf(bound, 1) {
			bound = 2 * lower // what is above the last bound is taken as up to twice that
		}
		s.bounds, s.parts = append(s.bounds, bound), append(s.parts, float64(counted)/float64(h.Count))
		meanWithin += part * (lower + bound) / 2
		meanUpper += part * bound
		lower = bound
	}
	s.scaleWithin, s.scaleUpper = s.mean/meanWithin, s.mean/meanUpper
	if meanWithin == 0 {
		s.bounds = nil
	}
	return s
}

// within draws a value that is anywhere in its bucket, exponential without buckets.
func (s *sampler) within(random *rand.Rand) float64 {
	if len(s.bounds) == 0 {
		return s.mean * random.ExpFloat64()
	}
	i := s.bucket(random)
	lower := 0.0
	if i > 0 {
		lower = s.bounds[i-1]
	}
	return s.scaleWithin * (lower + (s.bounds[i]-lower)*random.Float64())
}

// whole draws a number of at least 1: the bound of its bucket, since most seats are 1 or as
// many as there may be.
func (s *sampler) whole(random *rand.Rand) int {
	value := s.mean
	if len(s.bounds) > 0 {
		value = s.scaleUpper * s.bounds[s.bucket(random)]
	}
	return max(1, int(value+random.Float64()))
}

func (s *sampler) bucket(random *rand.Rand) int {
	at := random.Float64()
	i, _ := slices.BinarySearch(s.parts, at)
	return min(i, len(s.parts)-1)
}

// generated is requests in memory.
type generated struct {
	header trace.Header
	rest   []trace.Request
}

var _ simulate.Source = (*generated)(nil)

// Read implements simulate.Source.
func (g *generated) Read(into *trace.Request) error {
	if len(g.rest) == 0 {
		return io.EOF
	}
	*into, g.rest = g.rest[0], g.rest[1:]
	return nil
}

// Header implements simulate.Source.
func (g *generated) Header() trace.Header { return g.header }

// Close implements simulate.Source.
func (*generated) Close() error { return nil }
