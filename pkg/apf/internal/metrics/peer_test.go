package metrics

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	endpointsmetrics "k8s.io/apiserver/pkg/endpoints/metrics"
	endpointsrequest "k8s.io/apiserver/pkg/endpoints/request"
	peer "k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/release"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// fixed returns a function that returns the report.
func fixed(report engine.Report) func() engine.Report {
	return func() engine.Report { return report }
}

// counted returns a series that counted each event once.
func counted() stats.Snapshot {
	series := stats.NewLayout().NewSeries("l1", "s1")
	series.Estimated(3)
	series.Enqueued(3, 12)
	series.Dispatched(3, 3, 30*time.Millisecond)
	series.Finished(3*time.Second, false, 0)
	series.Finished(40*time.Second, true, 0)
	series.WatchCount(70)
	series.NotAccommodated()
	for reason := range stats.Reasons {
		series.Rejected(reason)
	}
	return series.Snapshot()
}

func shares(bounds ...float64) stats.Distribution {
	histogram := stats.NewTimeWeighted(bounds, 0)
	histogram.Set(time.Second, 1)
	return histogram.Snapshot(3 * time.Second)
}

// full returns a report with every metric.
func full() func() engine.Report {
	return fixed(engine.Report{
		FairFraction: 1.5,
		Series:       []stats.Snapshot{counted()},
		Levels: []engine.LevelReport{{
			Config: engine.LevelConfig{Name: "l1", Config: queueset.Config{Discipline: queueset.Queue}},
			Figures: queueset.Figures{
				EpochAdvances:  1,
				WaitingShare:   shares(0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1),
				ExecutingShare: shares(0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1),
				SeatShare:      shares(0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1),
				DemandShare:    shares(0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6),
			},
		}},
	})
}

// touchPeer creates a series in each of the library's vectors.
func touchPeer() {
	peer.Register()
	ctx := context.Background()
	watch := endpointsrequest.WithRequestInfo(ctx, &endpointsrequest.RequestInfo{Verb: "watch"})
	peer.AddRequestsInQueues(ctx, "l1", "s1", 1)
	peer.AddSeatsInQueues(ctx, "l1", "s1", 1)
	peer.AddRequestsExecuting(ctx, "l1", "s1", 1)
	peer.SetCurrentR("l1", 1)
	peer.SetDispatchMetrics("l1", 1, 1, 1, 1, 1, 1)
	peer.AddSeatConcurrencyInUse("l1", "s1", 1)
	for reason := range stats.Reasons {
		peer.AddReject(ctx, "l1", "s1", reason.String())
	}
	peer.AddDispatch(ctx, "l1", "s1")
	peer.ObserveQueueLength(ctx, "l1", "s1", 1)
	peer.ObserveWaitingDuration(ctx, "l1", "s1", "true", time.Second)
	peer.ObserveWaitingDuration(ctx, "l1", "s1", "false", time.Second)
	peer.ObserveExecutionDuration(ctx, "l1", "s1", time.Second)
	peer.ObserveExecutionDuration(watch, "l1", "s1", time.Second)
	peer.ObserveWatchCount(ctx, "l1", "s1", 1)
	peer.AddEpochAdvance(ctx, "l1", true)
	peer.ObserveWorkEstimatedSeats("l1", "s1", 1)
	peer.AddDispatchWithNoAccommodation("l1", "s1")
	peer.SetPriorityLevelConfiguration("l1", 1, 1, 1)
	peer.NotePriorityLevelConcurrencyAdjustment("l1", 1, 1, 1, 1, 1, 1)
	peer.SetFairFrac(1)
	peer.PriorityLevelExecutionSeatsGaugeVec.NewForLabelValuesSafe(1, 1, []string{"l1"})
	peer.RatioedGaugeVecPhasedElementPair(peer.PriorityLevelConcurrencyGaugeVec, 1, 1, []string{"l1"})
	peer.ApiserverSeatDemands.NewForLabelValuesSafe(1, 1, []string{"l1"})
	for _, gauge := range []func() peer.RatioedGauge{
		peer.GetWaitingMutatingConcurrency, peer.GetExecutingMutatingConcurrency,
		peer.GetWaitingReadonlyConcurrency, peer.GetExecutingReadonlyConcurrency,
	} {
		gauge()
	}
	endpointsmetrics.Register()
	endpointsmetrics.UpdateInflightRequestMetrics(endpointsmetrics.WaitingPhase, 1, 1)
	endpointsmetrics.UpdateInflightRequestMetrics(endpointsmetrics.ExecutingPhase, 1, 1)
}

func byName(t *testing.T, gatherer prometheus.Gatherer) map[string]*dto.MetricFamily {
	t.Helper()
	gathered, err := gatherer.Gather()
	require.NoError(t, err)
	families := map[string]*dto.MetricFamily{}
	for _, family := range gathered {
		families[family.GetName()] = family
	}
	return families
}

func registered(t *testing.T, report func() engine.Report) prometheus.Gatherer {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(NewCollector(report)))
	return registry
}

// shape is a family without its values.
type shape struct {
	Help    string
	Type    string
	Labels  []string
	Members []string // values of all labels, sorted
	Buckets []float64
}

func shapeOf(family *dto.MetricFamily) shape {
	s := shape{Help: family.GetHelp(), Type: family.GetType().String()}
	for _, metric := range family.GetMetric() {
		s.Labels = nil
		member := ""
		for _, pair := range metric.GetLabel() {
			s.Labels = append(s.Labels, pair.GetName())
			member += pair.GetName() + "=" + pair.GetValue() + ","
		}
		s.Members = append(s.Members, member)
		s.Buckets = nil
		for _, bucket := range metric.GetHistogram().GetBucket() {
			s.Buckets = append(s.Buckets, bucket.GetUpperBound())
		}
	}
	slices.Sort(s.Members)
	return s
}

func TestFamiliesAreThoseOfPeer(t *testing.T) {
	touchPeer()
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(NewCollector(full())))
	ours := byName(t, registry)
	compared := 0
	corrected := map[string]bool{prefix + "demand_seats": true, prefix + "request_wait_duration_seconds": true}
	for name, theirs := range byName(t, legacyregistry.DefaultGatherer) {
		if !strings.HasPrefix(name, prefix) || name == prefix+"read_vs_write_current_requests" {
			continue // the library's filter counts the latter
		}
		t.Run(name, func(t *testing.T) {
			require.Contains(t, ours, name)
			want, got := shapeOf(theirs), shapeOf(ours[name])
			if corrected[name] {
				assert.NotEqual(t, want.Help, got.Help, "the library's help says something else than what it counts")
				want.Help = got.Help
			}
			if name == prefix+"work_estimated_seats" && release.Minor() >= 34 {
				assert.Equal(t, []float64{1, 2, 4, 8, 16, 32, 64, 100}, want.Buckets, "for requests of more than 10 seats")
				want.Buckets = got.Buckets
			}
			assert.Equal(t, want, got)
		})
		compared++
	}
	removed := 0
	if release.Minor() >= 37 {
		removed = 2 // request_concurrency_limit and request_concurrency_in_use
	}
	assert.Equal(t, len(NewCollector(full()).Names())-removed, compared)
}

func TestEveryNameHasAFamily(t *testing.T) {
	ours := byName(t, registered(t, full()))
	for _, name := range NewCollector(full()).Names() {
		assert.Contains(t, ours, name)
	}
	assert.Len(t, ours, len(NewCollector(full()).Names()))
}
