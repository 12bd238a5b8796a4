package apf_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/mux"
	fcmetrics "k8s.io/apiserver/pkg/util/flowcontrol/metrics"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/exposition"
)

const (
	dispatched = "apiserver_flowcontrol_dispatched_requests_total"
	inFlight   = "apiserver_current_inflight_requests"
)

// page returns the families that a server serves at /metrics. The parser rejects a family
// that comes twice.
func page(t *testing.T, paths http.Handler) map[string]*dto.MetricFamily {
	t.Helper()
	w := httptest.NewRecorder()
	paths.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, w.Code)
	families, err := exposition.Parse(w.Body)
	require.NoError(t, err)
	return families
}

// sum returns the sum of the counters and gauges of a family.
func sum(family *dto.MetricFamily) (sum float64) {
	for _, metric := range family.GetMetric() {
		sum += metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
	}
	return sum
}

// send sends a request for configmaps through a handler, as the filters in front leave it.
func send(t *testing.T, handler http.Handler, user string) int {
	t.Helper()
	digest := digestOf(user)
	ctx := request.WithUser(request.WithRequestInfo(t.Context(), digest.RequestInfo), digest.User)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx))
	return w.Code
}

func TestInstallMetricsServesBothRegistriesWithoutDuplicates(t *testing.T) {
	fcmetrics.Register() // as a server of the library does
	s := newServer(t, apf.Config{Total: 10})
	paths := mux.NewPathRecorderMux("test")
	paths.HandleFunc("/metrics", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	s.InstallMetrics(paths)
	s.handle(t.Context(), digestOf("somebody"), func() {})
	families := page(t, paths)
	assert.InDelta(t, 1, sum(families[dispatched]), 0)
	assert.Contains(t, families, "go_goroutines", "of the library's registry")
	assert.NotContains(t, families, inFlight, "the filter of the library counts it, and is not in use")
}

// The library's filter counts requests as fractions of how many may execute.
func TestTheLibraryIsToldHowManyRequestsMayExecute(t *testing.T) {
	fcmetrics.Register()
	s := newServer(t, apf.Config{Total: 10})
	paths := mux.NewPathRecorderMux("test")
	s.InstallMetrics(paths)
	// fractions returns for how many nanoseconds about a tenth executed, and more.
	fractions := func() (tenth, more uint64) {
		for _, metric := range page(t, paths)["apiserver_flowcontrol_read_vs_write_current_requests"].GetMetric() {
			if labels := metric.GetLabel(); labels[0].GetValue() != "executing" || labels[1].GetValue() != "readOnly" {
				continue
			}
			upTo := map[float64]uint64{}
			for _, bucket := range metric.GetHistogram().GetBucket() {
				upTo[bucket.GetUpperBound()] = bucket.GetCumulativeCount()
			}
			return upTo[0.1] - upTo[0.01], metric.GetHistogram().GetSampleCount() - upTo[0.1]
		}
		return 0, 0
	}
	tenth, more := fractions()
	send(t, s.Filter(apf.FilterOptions{}).Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})), "somebody")
	tenthAfter, moreAfter := fractions()
	assert.Greater(t, tenthAfter, tenth, "one request of ten that may execute")
	assert.Equal(t, more, moreAfter)
}

func TestFilterRegistersWatchesWithItsFlowControl(t *testing.T) {
	s := newServer(t, apf.Config{Total: 10})
	watch := digestOf("somebody")
	watch.RequestInfo.Verb, watch.RequestInfo.Name = "watch", ""
	handler := s.Filter(apf.FilterOptions{}).Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		assert.Equal(t, 1, s.GetInterestedWatchCount(&request.RequestInfo{Verb: "update", Resource: "configmaps", Namespace: "default"}))
	}))
	ctx := request.WithUser(request.WithRequestInfo(context.Background(), watch.RequestInfo), watch.User)
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx))
}

func TestTwoEnginesInOneProcessHaveNothingInCommon(t *testing.T) {
	fcmetrics.Register()
	type one struct {
		*server
		paths   *mux.PathRecorderMux
		handler http.Handler
	}
	start := func(total int, level, user string) one {
		s := newServer(t, apf.Config{Total: total})
		s.apply(t, levelObjects{levelWithoutQueues(level, 10), levelWithoutQueues("catch-all", 0)}, schemaOf(user, level))
		paths := mux.NewPathRecorderMux(level)
		s.InstallMetrics(paths)
		s.Install(paths)
		return one{s, paths, s.Filter(apf.FilterOptions{}).Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))}
	}
	first, second := start(10, "first", "alice"), start(30, "second", "bob")
	for _, test := range []struct {
		name                  string
		server                one
		level, user, stranger string
		seats                 float64
	}{
		{"the first", first, "first", "alice", "bob", 10},
		{"the second", second, "second", "bob", "alice", 30},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, http.StatusOK, send(t, test.server.handler, test.user))
			assert.Equal(t, http.StatusTooManyRequests, send(t, test.server.handler, test.stranger), "on catch-all, without seats")

			families := page(t, test.server.paths)
			assert.InDelta(t, 1, sum(families[dispatched]), 0)
			assert.InDelta(t, test.seats, sum(families[nominalSeats]), 0)
			assert.InDelta(t, test.seats, sum(families[totalSeats]), 0)
			assert.InDelta(t, 1, sum(families["apf_rejected_flows"]), 0)
			assert.Contains(t, families, "apf_heaviest_flow_seat_share")

			var names []any
			for _, row := range test.server.get(t, "dump_priority_levels") {
				names = append(names, row["priorityLevelName"])
			}
			assert.ElementsMatch(t, []any{"catch-all", "exempt", test.level}, names)
			rejections := test.server.get(t, "rejections")
			require.Len(t, rejections, 1)
			assert.Equal(t, test.stranger, rejections[0]["userName"])
		})
	}
	first.Engine().SetTotal(5)
	assert.Equal(t, 30, second.Engine().Total())
}
