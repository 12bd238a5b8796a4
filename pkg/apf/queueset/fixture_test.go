package queueset_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// fixture is a Set and the dependencies of its requests.
type fixture struct {
	t      *testing.T
	clock  *clock.Fake
	set    *queueset.Set
	series *stats.Series
	hasher *flow.Hasher
}

func newFixture(t *testing.T, config queueset.Config, limit int) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: clock.NewFake(time.Unix(0, 0)), hasher: flow.NewHasher("schema", new(flow.HashCache))}
	f.series = stats.NewLayout().NewSeries("level", "schema")
	var err error
	f.set, err = queueset.New(f.clock, config, limits(limit))
	require.NoError(t, err)
	return f
}

func (f *fixture) request(flowName string, work seats.Work) *queueset.Request {
	r := new(queueset.Request)
	r.Hasher, r.Distinguisher, r.Flow, r.Series, r.Work = f.hasher, flowName, flowName, f.series, work
	return r
}

// arrive sends a request and checks the outcome.
func (f *fixture) arrive(flowName string, work seats.Work, expected queueset.Outcome) *queueset.Request {
	f.t.Helper()
	r := f.request(flowName, work)
	require.Equal(f.t, expected, f.set.Arrive(r))
	return r
}

// dispatched reports whether a waiting request has been dispatched. It reports
// a dispatch only once.
func dispatched(r *queueset.Request) bool {
	select {
	case <-r.Ready():
		return true
	default:
		return false
	}
}

// startedOf removes the first request of a line that has been dispatched, and returns it with the rest.
func (f *fixture) startedOf(line []*queueset.Request) (*queueset.Request, []*queueset.Request) {
	f.t.Helper()
	i := slices.IndexFunc(line, dispatched)
	require.NotEqual(f.t, -1, i, "somebody starts")
	started := line[i]
	return started, slices.Delete(line, i, i+1)
}

// configure replaces configuration and limits.
func (f *fixture) configure(config queueset.Config, l queueset.Limits) {
	f.t.Helper()
	dispatched, err := f.set.Configure(config, l)
	require.NoError(f.t, err)
	dispatched.Tell()
}

func (f *fixture) seatsInUse() int { return f.set.Figures().SeatsInUse }

func queues(n, hand, length int) queueset.Config {
	return queueset.Config{Discipline: queueset.Queue, Queues: n, HandSize: hand, QueueLengthLimit: length}
}

func wide(n int) seats.Work { return seats.Work{Initial: n} }
