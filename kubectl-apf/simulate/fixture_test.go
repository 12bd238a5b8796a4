package simulate_test

import (
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/objects"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// start is the beginning of all traces.
func start() time.Time { return time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC) }

// requests is a trace in memory.
type requests []trace.Request

// source reads it.
type source struct {
	header trace.Header
	rest   requests
	fail   error // after the last request, instead of io.EOF
}

func (s *source) Read(into *trace.Request) error {
	if len(s.rest) == 0 {
		if s.fail != nil {
			return s.fail
		}
		return io.EOF
	}
	*into = s.rest[0]
	s.rest = s.rest[1:]
	return nil
}

func (s *source) Header() trace.Header { return s.header }
func (*source) Close() error           { return nil }

// options returns options that simulate the requests.
func (r requests) options() simulate.Options { return r.with(func(*trace.Header) {}) }

// with is the same with a changed header.
func (r requests) with(change func(*trace.Header)) simulate.Options {
	header := trace.Header{Requests: int64(len(r)), Source: trace.SourceScenario}
	change(&header)
	return simulate.Options{Engine: simulate.APF, Open: func() (simulate.Source, error) { return &source{rest: r, header: header}, nil }}
}

// sorted returns requests in order of arrival.
func sorted(parts ...requests) requests {
	all := slices.Concat(parts...)
	slices.SortStableFunc(all, func(a, b trace.Request) int { return a.Arrival.Compare(b.Arrival) })
	return all
}

func get(user string, at, execution time.Duration) trace.Request {
	return trace.Request{
		Arrival: start().Add(at), User: user, Groups: []string{"system:authenticated"}, Verb: "get", APIVersion: "v1",
		Resource: "pods", Namespace: "shop", Status: 200, Execution: &metav1.Duration{Duration: execution}, Client: user,
	}
}

// poisson returns the requests of a user at random times, with a rate per second.
func poisson(user string, rate float64, execution, until time.Duration, seed uint64) requests {
	random := rand.New(rand.NewPCG(seed, 5))
	var out requests
	for at := 0.0; ; {
		at += random.ExpFloat64() / rate
		if d := time.Duration(at * float64(time.Second)); d < until {
			out = append(out, get(user, d, execution))
			continue
		}
		return out
	}
}

// level returns a priority level with queues that neither lends nor borrows.
func level(name string, shares int32, queues, hand, length int32) *flowcontrolv1.PriorityLevelConfiguration {
	l := objects.Queuing(name, shares, queues, hand, length)
	l.Spec.Limited.LendablePercent, l.Spec.Limited.BorrowingLimitPercent = new(int32), new(int32)
	return l
}

// schema returns a flow schema that matches all requests, a flow for each user.
func schema(name, to string) *flowcontrolv1.FlowSchema {
	return objects.ByUser(objects.Schema(name, to, 100, objects.Rule(objects.Group("system:authenticated"), "*", "*", "*", "*")))
}

// busy is a configuration with one level of this number of seats for all requests.
func busy(seats int, queues, hand, length int32) simulate.Candidate {
	// The level catch-all has 5 shares and one seat.
	return simulate.Candidate{Name: "busy", Configuration: configuration.Configuration{
		Release: configuration.Newest, Total: seats + 1,
		PriorityLevels: []*flowcontrolv1.PriorityLevelConfiguration{level("busy", int32(5*seats), queues, hand, length)},
		FlowSchemas:    []*flowcontrolv1.FlowSchema{schema("everyone", "busy")},
	}}
}

// builtIn is the built-in configuration of a release.
func builtIn(t testing.TB, name string, total int) simulate.Candidate {
	t.Helper()
	c, err := configuration.BuiltIn(configuration.Newest)
	require.NoError(t, err)
	c.Total = total
	return simulate.Candidate{Name: name, Configuration: c}
}

func run(t testing.TB, options simulate.Options, candidates ...simulate.Candidate) *simulate.Report {
	t.Helper()
	report, err := simulate.Run(context.Background(), options, candidates...)
	require.NoError(t, err)
	for i := range report.Results {
		consistent(t, &report.Results[i])
	}
	return report
}

// consistent checks that the figures of a result agree with each other.
func consistent(t testing.TB, r *simulate.Result) {
	t.Helper()
	var levels, schemas simulate.Figures
	add := func(to, f *simulate.Figures) {
		rejected := uint64(0)
		for _, n := range f.RejectedBy {
			rejected += n
		}
		assert.Equal(t, []uint64{f.Requests, rejected}, []uint64{f.Dispatched + f.Rejected, f.Rejected})
		to.Requests, to.Dispatched, to.Waited, to.Rejected = to.Requests+f.Requests, to.Dispatched+f.Dispatched, to.Waited+f.Waited, to.Rejected+f.Rejected
		to.Retries, to.Wait.Max = to.Retries+f.Retries, max(to.Wait.Max, f.Wait.Max)
		assert.True(t, slices.IsSorted([]float64{0, f.Wait.P50, f.Wait.P90, f.Wait.P99, f.Wait.Max}), f.Wait)
	}
	for i := range r.Levels {
		l := &r.Levels[i]
		add(&levels, &l.Figures)
		assert.InDelta(t, l.SeatSeconds, l.Seats.Mean*r.Seconds, 0.02, "%s: but for an additional latency after the end", l.Name)
		for _, s := range []simulate.Spread{l.Limit, l.Seats, l.Borrowed, l.Lent} {
			assert.True(t, s.Min <= s.Mean+1e-9 && s.Mean <= s.Max+1e-9, s)
		}
	}
	for i := range r.FlowSchemas {
		add(&schemas, &r.FlowSchemas[i].Figures)
	}
	whole := r.Figures
	whole.RejectedBy, whole.SeatSeconds, whole.Wait = nil, 0, simulate.Wait{Max: r.Wait.Max}
	assert.Equal(t, []simulate.Figures{whole, whole}, []simulate.Figures{levels, schemas})
	if !strings.Contains(strings.Join(r.Notes, " "), "the requests that repeat them are in the trace") {
		assert.Equal(t, r.Read, int64(r.Requests-r.Retries)+r.NotSent+r.LeftOut)
	}
}

// levelOf returns a level of a result.
func levelOf(t testing.TB, r *simulate.Result, name string) *simulate.Level {
	t.Helper()
	for i := range r.Levels {
		if r.Levels[i].Name == name {
			return &r.Levels[i]
		}
	}
	t.Fatalf("there is no level %s", name)
	return nil
}

// engines are both engines.
func engines() []simulate.EngineKind {
	return []simulate.EngineKind{simulate.APF, simulate.Library}
}
