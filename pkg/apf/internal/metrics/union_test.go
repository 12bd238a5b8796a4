package metrics

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/exposition"
)

// scrape serves and parses one scrape over HTTP.
func scrape(t *testing.T, report func() engine.Report) map[string]*dto.MetricFamily {
	t.Helper()
	collector := NewCollector(report)
	own := prometheus.NewPedanticRegistry()
	require.NoError(t, own.Register(collector))
	union := Union(legacyregistry.DefaultGatherer, own, collector.Names())
	server := httptest.NewServer(metrics.HandlerFor(union, metrics.HandlerOpts{}))
	defer server.Close()
	response, err := http.Get(server.URL)
	require.NoError(t, err)
	defer func() { assert.NoError(t, response.Body.Close()) }()
	require.Equal(t, http.StatusOK, response.StatusCode)
	families, err := exposition.Parse(response.Body)
	require.NoError(t, err, "the parser rejects a family that comes twice")
	return families
}

const crowded = "crowded"

// crowdedConfiguration has a level with queues and few seats. It receives all
// requests of the group "crowd".
func crowdedConfiguration() engine.Configuration {
	return engine.Configuration{
		Levels: []engine.LevelConfig{{
			Name:   crowded,
			Config: queueset.Config{Discipline: queueset.Queue, Queues: 16, HandSize: 4, QueueLengthLimit: 5},
			Share:  allocation.Share{Shares: 5},
		}},
		Schemas: []rules.Schema{{
			Name: crowded, Level: crowded, Precedence: 100, Distinguisher: rules.ByUser,
			Rules: []rules.Rule{{
				Subjects: []rules.Subject{{Kind: rules.Group, Name: "crowd"}},
				ResourceRules: []rules.ResourceRule{{
					Verbs: []string{rules.All}, APIGroups: []string{rules.All}, Resources: []string{rules.All},
					ClusterScope: true, Namespaces: []string{rules.All},
				}},
			}},
		}},
	}
}

// crowd starts n concurrent requests of one user. Each executes until release
// is closed; the result waits for all of them.
func crowd(ctx context.Context, e *engine.Engine, n int, release <-chan struct{}) *sync.WaitGroup {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			request := e.Begin()
			defer request.End()
			request.Attributes.User = "someone"
			request.Attributes.Groups = []string{"crowd"}
			request.Attributes.Verb = "get"
			request.Attributes.IsResourceRequest = true
			request.Attributes.Resource = "pods"
			request.Classify()
			if request.Admit(ctx, seats.Work{Initial: 2}, nil) {
				<-release
				request.Finish()
			}
		})
	}
	return &wg
}

func valueOf(t *testing.T, families map[string]*dto.MetricFamily, name string, labels ...string) float64 {
	t.Helper()
	require.Contains(t, families, prefix+name)
	for _, metric := range families[prefix+name].GetMetric() {
		if hasLabels(metric, labels) {
			switch {
			case metric.GetCounter() != nil:
				return metric.GetCounter().GetValue()
			case metric.GetGauge() != nil:
				return metric.GetGauge().GetValue()
			default:
				return float64(metric.GetHistogram().GetSampleCount())
			}
		}
	}
	t.Fatalf("%s has no member %v", name, labels)
	return 0
}

// hasLabels reports whether a metric has the values, given as name, value, ...
func hasLabels(metric *dto.Metric, labels []string) bool {
	values := map[string]string{}
	for _, pair := range metric.GetLabel() {
		values[pair.GetName()] = pair.GetValue()
	}
	for i := 0; i < len(labels); i += 2 {
		if values[labels[i]] != labels[i+1] {
			return false
		}
	}
	return true
}

func TestScrapeOfALoadedServer(t *testing.T) {
	touchPeer()
	e := engine.New(engine.Options{Total: 20})
	require.Empty(t, e.Apply(crowdedConfiguration()))
	release := make(chan struct{})
	// There are ten seats, and a hand of four queues of five. Of 40 requests of
	// two seats each, five execute, twenty wait and fifteen are rejected.
	done := crowd(t.Context(), e, 40, release)
	eventually.Holds(t, "all requests have arrived", func(a *eventually.Attempt) {
		series := e.Report().Series
		require.Len(a, series, 1)
		require.EqualValues(a, 20, series[0].InQueueRequests)
		require.EqualValues(a, 5, series[0].ExecutingRequests)
		require.EqualValues(a, 15, series[0].Rejected[0])
	})

	labels := []string{levelLabel, crowded, schemaLabel, crowded}
	families := scrape(t, e.Report)
	assert.Contains(t, families, prefix+"read_vs_write_current_requests", "of the library's filter")
	assert.Contains(t, families, "apiserver_current_inflight_requests", "of the library too")
	assert.Equal(t, 5.0, valueOf(t, families, "current_executing_requests", labels...))
	assert.Equal(t, 10.0, valueOf(t, families, "current_executing_seats", labels...))
	assert.Equal(t, 10.0, valueOf(t, families, "request_concurrency_in_use", labels...))
	assert.Equal(t, 20.0, valueOf(t, families, "current_inqueue_requests", labels...))
	assert.Equal(t, 40.0, valueOf(t, families, "current_inqueue_seats", labels...))
	assert.Equal(t, 15.0, valueOf(t, families, "rejected_requests_total", append(labels, "reason", "queue-full")...))
	assert.Equal(t, 10.0, valueOf(t, families, "nominal_limit_seats", levelLabel, crowded))
	assert.Equal(t, 20.0, valueOf(t, families, "upper_limit_seats", levelLabel, crowded))

	close(release)
	done.Wait()
	e.Rebalance()
	families = scrape(t, e.Report)
	assert.Equal(t, 25.0, valueOf(t, families, "dispatched_requests_total", labels...))
	assert.Equal(t, 25.0, valueOf(t, families, "request_execution_seconds", append(labels, "type", "regular")...))
	assert.Equal(t, 25.0, valueOf(t, families, "request_wait_duration_seconds", append(labels, "execute", "true")...))
	assert.Equal(t, 40.0, valueOf(t, families, "work_estimated_seats", labels...))
	assert.Equal(t, 50.0, valueOf(t, families, "demand_seats_high_watermark", levelLabel, crowded))
	assert.Equal(t, 0.0, valueOf(t, families, "current_executing_requests", labels...))
}

func TestBothRegistriesSideBySideWouldBreakTheScrape(t *testing.T) {
	touchPeer()
	own := registered(t, full())
	_, err := prometheus.Gatherers{legacyregistry.DefaultGatherer, own}.Gather()
	require.Error(t, err)
	_, err = Union(legacyregistry.DefaultGatherer, own, NewCollector(full()).Names()).Gather()
	require.NoError(t, err)
}

func TestSeriesOfWhatIsGoneDisappear(t *testing.T) {
	e := engine.New(engine.Options{Total: 20})
	require.Empty(t, e.Apply(crowdedConfiguration()))
	release := make(chan struct{})
	close(release)
	crowd(t.Context(), e, 3, release).Wait()
	mentions := func() bool {
		for _, family := range scrape(t, e.Report) {
			for _, metric := range family.GetMetric() {
				for _, pair := range metric.GetLabel() {
					if pair.GetValue() == crowded {
						return true
					}
				}
			}
		}
		return false
	}
	require.True(t, mentions())
	require.Empty(t, e.Apply(engine.Configuration{}))
	assert.False(t, mentions())
}

func TestTimeWeightedHistogramCountsNanoseconds(t *testing.T) {
	e := engine.New(engine.Options{Clock: clock.NewFake(time.Unix(0, 0)), Total: 20})
	family := func(e *engine.Engine) *dto.Histogram {
		for _, metric := range byName(t, registered(t, e.Report))[prefix+"priority_level_seat_utilization"].GetMetric() {
			if hasLabels(metric, []string{levelLabel, "catch-all"}) {
				return metric.GetHistogram()
			}
		}
		return nil
	}
	assert.Nil(t, family(e), "no time has passed")

	c := clock.NewFake(time.Unix(0, 0))
	e = engine.New(engine.Options{Clock: c, Total: 20})
	request := e.Begin()
	request.Attributes.Groups = []string{"system:authenticated"}
	request.Classify()
	require.True(t, request.Admit(context.Background(), seats.Work{Initial: 10}, nil))
	c.Advance(3 * time.Second)
	request.Finish()
	request.End()
	c.Advance(time.Second)
	// Ten of twenty seats for three of four seconds.
	histogram := family(e)
	require.NotNil(t, histogram)
	assert.Equal(t, uint64(4e9), histogram.GetSampleCount())
	assert.InDelta(t, 1.5e9, histogram.GetSampleSum(), 1)
	for _, bucket := range histogram.GetBucket() {
		want := uint64(1e9)
		if bucket.GetUpperBound() >= 0.5 {
			want = 4e9
		}
		assert.Equal(t, want, bucket.GetCumulativeCount(), "up to %v", bucket.GetUpperBound())
	}
}

// The library omits series that were never counted and empty histograms.
func TestWhatNeverHappenedIsLeftOut(t *testing.T) {
	series := stats.NewLayout().NewSeries("l1", "s1")
	series.Dispatched(1, 1, 0)
	families := byName(t, registered(t, fixed(engine.Report{Series: []stats.Snapshot{series.Snapshot()}})))
	for _, name := range []string{"rejected_requests_total", "request_dispatch_no_accommodation_total", "request_execution_seconds", "watch_count_samples"} {
		assert.NotContains(t, families, prefix+name)
	}
	queues := engine.LevelReport{Config: engine.LevelConfig{Name: "l1", Config: queueset.Config{Discipline: queueset.Queue}}}
	assert.NotContains(t, byName(t, registered(t, fixed(engine.Report{Levels: []engine.LevelReport{queues}}))), prefix+"epoch_advance_total")
	waits := families[prefix+"request_wait_duration_seconds"].GetMetric()
	assert.Len(t, waits, 1, "of the executed, none of the rejected")
	assert.Contains(t, families, prefix+"dispatched_requests_total")

	series.Rejected(1)
	rejected := byName(t, registered(t, fixed(engine.Report{Series: []stats.Snapshot{series.Snapshot()}})))[prefix+"rejected_requests_total"].GetMetric()
	assert.Len(t, rejected, 1, "one reason, not each")
}
