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
		Simulate: simulate.Options{Engine: simulate.Ours, Open: open}, Goals: assertions(t, goals...), Notes: notes,
	}, builtIn(t))
	require.NoError(t, err)
	return m, out
}

// Little's law: 90 requests a second of 100 ms use 9 seats on average.
func TestMeanSeatsFollowFromRatesAndHistograms(t *testing.T) {
	m, out := measured(t, replicas{scraped("a", 0, 7, 1000)}, replicas{scraped("a", 300*time.Second, 7, 1000+90*300)}, "wait.p99 < 100ms", "rejected == 0")
	assert.Equal(t, 5*time.Minute, m.Elapsed)
	l := levelOf(t, out, "global-default")
	assert.InDelta(t, 90, l.PerSecond, 3)
	assert.InDelta(t, 9, l.Mean, 0.3)
	// Without waits, random arrivals use Poisson(9) seats: 19 at 99.9 %. They may wait 100 ms.
	assert.GreaterOrEqual(t, l.Need.Seats, 10)
	assert.LessOrEqual(t, l.Need.Seats, 19)
	assert.Equal(t, 4, out.Parts)
	assert.Contains(t, out.Notes[0], "No request is known, only rates and histograms of 5m0s.")
	high := l.Need.High
	m.Widen(out)
	// 27,000 requests give a rate that is known to 1.96 / sqrt(27,000), 1.2 %.
	assert.Equal(t, int(math.Ceil(float64(high)*(1+1.96/math.Sqrt(27000)))), levelOf(t, out, "global-default").Need.High)
}

func TestWideRequestsTakeTheirSeats(t *testing.T) {
	before, after := scraped("a", 0, 7, 1000), scraped("a", 300*time.Second, 7, 1000+20*300)
	of := after.Metrics.Schemas[people()]
	of.Width = replica.Histogram{Sum: 1000 + 6000*5.5, Count: 7000, Buckets: map[float64]uint64{1: 4000, 2: 4000, 4: 4000, 10: 7000, math.Inf(1): 7000}}
	after.Metrics.Schemas[people()] = of
	_, out := measured(t, replicas{before}, replicas{after}, "wait.p99 < 100ms")
	assert.InDelta(t, 20*0.1*5.5, levelOf(t, out, "global-default").Mean, 1) // 11 seats
}

func TestEachServerIsSizedAlone(t *testing.T) {
	before := replicas{scraped("a", 0, 7, 0), scraped("b", 0, 8, 500)}
	after := replicas{scraped("a", 300*time.Second, 7, 40*300), scraped("b", 300*time.Second, 8, 500+40*300)}
	_, out := measured(t, before, after, "wait.p99 < 100ms")
	_, one := measured(t, before[:1], after[:1], "wait.p99 < 100ms")
	assert.Equal(t, 2, out.Replicas)
	assert.InDelta(t, 8, levelOf(t, out, "global-default").Mean, 0.5)
	assert.InDelta(t, levelOf(t, one, "global-default").Need.Seats, levelOf(t, out, "global-default").Need.Seats, 1)
}

// With as many seats as the high watermark of demand nothing waits: rates do not show bursts.
func TestTheHighWatermarkWidensTheRange(t *testing.T) {
	before, after := scraped("a", 0, 7, 0), scraped("a", 300*time.Second, 7, 20*300)
	after.Metrics.Levels["global-default"] = replica.LevelMetrics{Nominal: new(49), DemandHighWatermark: new(40.0)}
	m, out := measured(t, replicas{before}, replicas{after}, "wait.p99 < 100ms")
	m.Widen(out)
	assert.Equal(t, 40, levelOf(t, out, "global-default").Need.High)
	assert.GreaterOrEqual(t, out.Need.High, 40)
	assert.Contains(t, strings.Join(out.Notes, "\n"), "global-default 40")
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
}
