package size_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/size"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// people are the requests of the level global-default.
func people() replica.SchemaKey {
	return replica.SchemaKey{Level: "global-default", FlowSchema: "global-default"}
}

// scraped is a server that has dispatched this number of requests of people, each of 100 ms and of
// a seat, as the buckets of kube-apiserver count them.
func scraped(name string, at time.Duration, started float64, requests uint64) replica.Replica {
	return replica.Replica{Name: name, Read: start().Add(at), Metrics: replica.Metrics{
		ProcessStart: started,
		Levels:       map[string]replica.LevelMetrics{"global-default": {Nominal: new(49)}},
		Schemas: map[replica.SchemaKey]replica.SchemaMetrics{people(): {
			Dispatched: &requests,
			Execution:  replica.Histogram{Sum: 0.1 * float64(requests), Count: requests, Buckets: map[float64]uint64{0.05: 0, 0.1: requests, 0.2: requests, math.Inf(1): requests}},
			Width:      replica.Histogram{Sum: float64(requests), Count: requests, Buckets: map[float64]uint64{1: requests, 2: requests, 4: requests, 10: requests, math.Inf(1): requests}},
		}},
	}}
}

type replicas []replica.Replica

// measured sizes what is between two scrapes.
func measured(t *testing.T, before, after replicas, goals ...string) (*size.Measured, *size.Size) {
	t.Helper()
	m, err := size.Measure(before, after, 0, builtIn(t))
	require.NoError(t, err)
	open, notes := m.Generate()
	out, err := size.Run(context.Background(), size.Options{
		Simulate: simulate.Options{Engine: simulate.APF, Open: open}, Goals: assertions(t, goals...), Notes: notes,
	}, builtIn(t))
	require.NoError(t, err)
	return m, out
}

// Little's law: 90 requests a second of 100 ms use 9 seats on average.
func TestMeanSeatsFollowFromRatesAndHistograms(t *testing.T) {
	m, out := measured(t, replicas{scraped("a", 0, 7, 1000)}, replicas{scraped("a", 180*time.Second, 7, 1000+90*180)}, "wait.p99 < 100ms", "rejected == 0")
	assert.Equal(t, 3*time.Minute, m.Elapsed)
	l := levelOf(t, out, "global-default")
	assert.InDelta(t, 90, *l.PerSecond, 3)
	assert.InDelta(t, 9, l.Mean, 0.3)
	// Without waits, random arrivals use Poisson(9) seats: 19 at 99.9 %. They may wait 100 ms.
	assert.GreaterOrEqual(t, l.Need.Seats, 10)
	assert.LessOrEqual(t, l.Need.Seats, 19)
	assert.Equal(t, 4, out.Parts)
	assert.Contains(t, out.Notes[0], "No request is known, only rates and histograms of 3m0s.")
}

// Files that were copied have the dates of the copy. The servers tell for how long they have observed their levels.
func TestScrapesTellTheTimeBetweenThem(t *testing.T) {
	observed := func(at, since time.Duration, requests uint64) replicas {
		r := scraped("a", at, 7, requests)
		r.Metrics.Levels["global-default"] = replica.LevelMetrics{Nominal: new(49), Observed: since}
		return replicas{r}
	}
	for _, test := range []struct {
		name          string
		before, after replicas
		given         time.Duration
		want          time.Duration
		isByDate      bool
	}{
		{"by what servers observed, whatever the dates", observed(0, time.Hour, 0), observed(2*time.Second, time.Hour+5*time.Minute, 100), 0, 5 * time.Minute, false},
		{"by what the user says", observed(0, time.Hour, 0), observed(2*time.Second, time.Hour+5*time.Minute, 100), time.Minute, time.Minute, false},
		{"by dates if nothing else tells", observed(0, 0, 0), observed(3*time.Second, time.Hour, 100), 0, 3 * time.Second, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := size.Measure(test.before, test.after, test.given, builtIn(t))
			require.NoError(t, err)
			assert.Equal(t, test.want, m.Elapsed)
			assert.Equal(t, test.isByDate, m.By != "", m.By)
		})
	}
}

// Half of the values are above the last bound, so they are up to twice as much.
func TestGeneratedRequestsFollowTheHistograms(t *testing.T) {
	half := func(sum float64, count uint64) replica.Histogram {
		return replica.Histogram{Sum: sum, Count: count, Buckets: map[float64]uint64{1: count / 2, math.Inf(1): count}}
	}
	rejected := replica.SchemaKey{Level: "global-default", FlowSchema: "rejected"} // all of them
	system := replica.SchemaKey{Level: "system", FlowSchema: "system"}             // of another level
	before, after := scraped("a", 0, 7, 0), scraped("a", time.Hour, 7, 0)
	// Requests before the first scrape were shorter and narrower: they count for nothing.
	before.Metrics.Schemas[system] = replica.SchemaMetrics{Dispatched: new(uint64(360_000)), Execution: half(360_000, 360_000), Width: half(1.8*360_000, 360_000)}
	before.Metrics.Schemas[rejected] = replica.SchemaMetrics{Rejected: map[string]uint64{"queue-full": 5}, Execution: half(50, 6)}
	after.Metrics.Schemas = map[replica.SchemaKey]replica.SchemaMetrics{
		people(): {Dispatched: new(uint64(1_080_000)), Execution: half(1_080_000, 1_080_000), Width: half(1.8*1_080_000, 1_080_000)},
		rejected: {Rejected: map[string]uint64{"queue-full": 5 + 360_000}, Execution: half(50, 6)},
		system:   {Dispatched: new(uint64(720_000)), Execution: half((1+9)*360_000, 720_000), Width: half((1.8+6)*360_000, 720_000)},
	}
	m, err := size.Measure(replicas{before}, replicas{after}, 0, builtIn(t))
	require.NoError(t, err)
	open, notes := m.Generate()
	assert.Contains(t, notes[0], "Requests are generated for 5m0s: ", "500 requests a second, 150,000 at most")
	source, err := open()
	require.NoError(t, err)
	type figures struct{ requests, execution, longest, seats, most float64 }
	got := map[string]figures{}
	clients := map[string]bool{}
	last := time.Time{}
	for one := (trace.Request{}); source.Read(&one) == nil; {
		f, seconds, seats := got[one.FlowSchema], one.Execution.Seconds(), float64(one.Seats.Initial)
		got[one.FlowSchema] = figures{f.requests + 1, f.execution + seconds, max(f.longest, seconds), f.seats + seats, max(f.most, seats)}
		clients[one.Client] = true
		assert.False(t, one.Arrival.Before(last))
		last = one.Arrival
	}
	assert.Len(t, clients, 20)
	// The mean within the buckets is 1 s, and of their bounds 1.5 seats: 9 s are 9 times as much, 1.8 seats 1.2 times, and 6 seats 4
	// times. Requests that were all rejected are as the others of their level.
	for schema, want := range map[string]figures{"global-default": {300, 1, 2, 1.8, 3}, "rejected": {100, 1, 2, 1.8, 3}, "system": {100, 9, 18, 6, 8}} {
		f := got[schema]
		assert.InEpsilon(t, want.requests*300, f.requests, 0.02, schema)
		assert.InEpsilon(t, want.execution, f.execution/f.requests, 0.02, schema)
		assert.InEpsilon(t, want.longest, f.longest, 0.01, schema)
		assert.InEpsilon(t, want.seats, f.seats/f.requests, 0.02, schema)
		assert.InDelta(t, want.most, f.most, 0, schema)
	}
	m, err = size.Measure(replicas{scraped("a", 0, 7, 0)}, replicas{scraped("a", time.Minute, 7, 600)}, 0, builtIn(t))
	require.NoError(t, err)
	_, notes = m.Generate()
	assert.Contains(t, notes[0], "of 1m0s. Requests are generated for 3m0s: ")
}

func TestEachServerIsSizedAlone(t *testing.T) {
	before := replicas{scraped("a", 0, 7, 0), scraped("b", 0, 8, 500)}
	after := replicas{scraped("a", 180*time.Second, 7, 40*180), scraped("b", 180*time.Second, 8, 500+40*180)}
	_, out := measured(t, before, after, "wait.p99 < 1s")
	_, one := measured(t, before[:1], after[:1], "wait.p99 < 1s")
	assert.Equal(t, 2, out.Replicas)
	assert.InDelta(t, 8, levelOf(t, out, "global-default").Mean, 0.5)
	assert.InDelta(t, levelOf(t, one, "global-default").Need.Seats, levelOf(t, out, "global-default").Need.Seats, 1)
	assert.NotContains(t, strings.Join(out.Notes, " "), "needs fewer seats", "one server needs fewer than two use")
}

// The rate of 9,604 requests is known to 1.96 / 98, 2 %. With as many seats as the high watermark of demand nothing waits.
func TestRatesAndTheHighWatermarkWidenTheRange(t *testing.T) {
	marked := func(name string, started, mark float64) replica.Replica {
		r := scraped(name, 300*time.Second, started, 4802)
		r.Metrics.Levels["global-default"] = replica.LevelMetrics{Nominal: new(49), DemandHighWatermark: &mark}
		return r
	}
	m, err := size.Measure(replicas{scraped("a", 0, 7, 0), scraped("b", 0, 8, 0)}, replicas{marked("a", 7, 39.1), marked("b", 8, 35)}, 0, builtIn(t))
	require.NoError(t, err)
	for have, enough := range map[int]size.Enough{16: size.No, 17: size.Uncertain, 39: size.Uncertain, 40: size.Yes} {
		out := size.Size{Have: &have, Replicas: 2, Need: size.Seats{Seats: 20, Low: 18, High: 22}, Levels: []size.Level{
			{Name: "exempt", Exempt: true}, {Name: "global-default", Requests: 9604, Need: &size.Seats{Seats: 10, Low: 9, High: 12}}, {Name: "system"},
		}}
		m.Widen(&out)
		assert.Equal(t, size.Size{
			Have: &have, Enough: enough, Replicas: 2, Need: size.Seats{Seats: 20, Low: 17, High: 40}, Fitted: size.Seats{Seats: 11, Low: 9, High: 41},
			Levels: []size.Level{{Name: "exempt", Exempt: true}, {Name: "global-default", Requests: 9604, Need: &size.Seats{Seats: 10, Low: 8, High: 40}}, {Name: "system"}},
			Flags: &size.Flags{
				KubeAPIServer:        []string{"--max-requests-inflight=27", "--max-mutating-requests-inflight=13"},
				FlowControlAPIServer: []string{"--max-requests-inflight=27", "--max-mutating-requests-inflight=13", "--flow-control-total=adaptive", "--flow-control-total-min=20"},
			},
			Notes: []string{"Requests come in bursts that rates do not show. The high watermark of demand, in the 10 s before a scrape, is the upper end of the range of these levels: global-default 40. With a trace instead of two scrapes, bursts count."},
		}, out)
	}
}

func TestScrapesThatSayNothing(t *testing.T) {
	now := scraped("a", 300*time.Second, 7, 9000)
	restarted := scraped("a", 300*time.Second, 9, 9000)
	unknown := scraped("a", 300*time.Second, 0, 500)
	noHistogram := scraped("a", 300*time.Second, 7, 9000)
	noHistogram.Metrics.Schemas[people()] = replica.SchemaMetrics{Dispatched: new(uint64(9000))}
	exempt := scraped("a", 300*time.Second, 7, 0)
	exempt.Metrics.Schemas[replica.SchemaKey{Level: "exempt", FlowSchema: "exempt"}] = replica.SchemaMetrics{Dispatched: new(uint64(70))}
	for _, test := range []struct {
		name          string
		before, after replicas
		says          string
	}{
		{"no scrape", nil, nil, "there are no metrics of an API server to compare"},
		{"no earlier scrape", nil, replicas{now}, "the two scrapes have no API server in common: a is not in the earlier scrape"},
		{"another server", replicas{scraped("b", 0, 8, 0)}, replicas{now}, "a started at another time than those in the earlier scrape: it was restarted, or is another API server"},
		{"a server that was restarted", replicas{scraped("a", 0, 7, 1000)}, replicas{restarted}, "it was restarted, or is another API server"},
		{"a server that was restarted, and does not say when", replicas{scraped("a", 0, 0, 1000)}, replicas{unknown}, "a counts less in the later scrape: it was restarted, or the scrapes are in the wrong order"},
		{"scrapes in the wrong order", replicas{now}, replicas{scraped("a", 0, 7, 1000)}, "the scrapes of a are -5m0s apart: the later one must be later"},
		{"scrapes of one time", replicas{scraped("a", 0, 7, 1000)}, replicas{scraped("a", 0, 7, 9000)}, "the scrapes of a are 0s apart"},
		{"no traffic", replicas{scraped("a", 0, 7, 9000)}, replicas{now}, "no request that takes seats arrived in the 5m0s between the scrapes: there is nothing to size"},
		{"requests of exempt levels only", replicas{scraped("a", 0, 7, 0)}, replicas{exempt}, "no request that takes seats arrived"},
		{"no histograms", replicas{scraped("a", 0, 7, 0)}, replicas{noHistogram}, "a has no apiserver_flowcontrol_request_execution_seconds: how long requests take is unknown"},
		{"no metrics", replicas{scraped("a", 0, 7, 0)}, replicas{{Name: "a", Read: start()}}, "a has no metrics in the later scrape"},
		{"no metrics before", replicas{{Name: "a", Read: start()}}, replicas{now}, "a has no metrics in the earlier scrape"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := size.Measure(test.before, test.after, 0, builtIn(t))
			assert.ErrorContains(t, err, test.says)
		})
	}
}

func TestAServerThatIsLeftOutIsSaid(t *testing.T) {
	m, err := size.Measure(replicas{scraped("a", 0, 7, 0)}, replicas{scraped("a", time.Minute, 7, 600), scraped("b", time.Minute, 8, 600)}, 0, builtIn(t))
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, m.Servers)
	assert.Equal(t, []string{"API servers are left out, which may need more: b started at another time than those in the earlier scrape: it was restarted, or is another API server."}, m.Notes)
	m, err = size.Measure(replicas{scraped("first.txt", 0, 0, 0)}, replicas{scraped("second.txt", time.Minute, 0, 600)}, 0, builtIn(t))
	require.NoError(t, err)
	assert.Equal(t, []string{"second.txt"}, m.Servers, "files of one server")
}
