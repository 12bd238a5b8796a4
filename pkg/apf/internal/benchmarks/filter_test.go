package benchmarks

import (
	"context"
	"net/http"
	"runtime"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/configsync"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/release"
)

// storedObjects is the number of objects of every type in the benchmarks.
const storedObjects = 250

// BenchmarkFilter measures what flow control as a whole, filter, estimator and
// engine, adds to a handler that does nothing. The bare handler, the peer and
// this project's filter take turns within each iteration, so that other load
// affects all three equally. The medians are reported.
func BenchmarkFilter(b *testing.B) {
	for _, c := range []struct {
		name string
		user string
		info request.RequestInfo
	}{
		{"get", "alice", request.RequestInfo{Verb: "get", Name: "settings"}},
		{"exempt", "admin", request.RequestInfo{Verb: "get", Name: "settings"}},
		{"list", "alice", request.RequestInfo{Verb: "list"}},
		{"update", "alice", request.RequestInfo{Verb: "update", Name: "settings"}},
		{"watch", "alice", request.RequestInfo{Verb: "watch"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			bare := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { flowcontrol.WatchInitialized(r.Context()) })
			compare(b, bare, peerFilter(b)(bare), ourFilter(b, estimate.CostByCount)(bare), requestOf(b, c.info, c.user))
		})
	}
}

func longRunning() request.LongRunningRequestCheck {
	return filters.BasicLongRunningRequestCheck(sets.NewString("watch"), sets.NewString())
}

func objectCounts() fcrequest.StorageObjectCountTracker {
	counts := fcrequest.NewStorageObjectCountTracker()
	release.SetObjects(counts, "configmaps", storedObjects, 1_000)
	return counts
}

func peerFilter(b *testing.B) func(http.Handler) http.Handler {
	b.Helper()
	levels, schemas := builtIn()
	peer, _ := start(b, newPeer, levels, schemas)
	estimator := fcrequest.NewWorkEstimator(objectCounts().Get, peer.GetInterestedWatchCount, fcrequest.DefaultWorkEstimatorConfig(), peer.GetMaxSeats)
	return func(handler http.Handler) http.Handler {
		return filters.WithPriorityAndFairness(handler, longRunning(), peer, estimator, 15*time.Second)
	}
}

// ourFilter returns this project's filter with a cost of lists.
func ourFilter(b *testing.B, cost estimate.ListCost) func(http.Handler) http.Handler {
	b.Helper()
	configuration, problems := configsync.NewTranslator().Translate(builtIn())
	if len(problems) > 0 {
		b.Fatal(problems)
	}
	e := directly(b, total, configuration)
	return filter.New(e, filter.Options{
		LongRunning: longRunning(),
		WaitLimit:   15 * time.Second,
		Objects:     apf.ObjectsOf(objectCounts().Get),
		Sizes:       func(string) int64 { return 1_000 },
		ListCost:    cost,
		CountsReads: true,
	}).Handler
}

// requestOf returns a request as the preceding filters leave it.
func requestOf(b *testing.B, info request.RequestInfo, name string) *http.Request {
	b.Helper()
	info.IsResourceRequest = true
	info.APIVersion, info.Resource, info.Namespace = "v1", "configmaps", "default"
	info.Path = "/api/v1/namespaces/default/configmaps"
	groups := []string{"system:authenticated"}
	if name == "admin" {
		groups = append(groups, "system:masters")
	}
	ctx := request.WithReceivedTimestamp(context.Background(), time.Now())
	ctx = request.WithRequestInfo(ctx, &info)
	if info.Verb != "watch" {
		deadline, cancel := context.WithTimeout(ctx, time.Hour)
		b.Cleanup(cancel)
		ctx = deadline
	}
	ctx = request.WithUser(ctx, &user.DefaultInfo{Name: name, Groups: groups})
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://localhost"+info.Path, http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// sample is the cost of one request.
type sample struct{ nanoseconds, allocations, bytes float64 }

func (s sample) minus(t sample) sample {
	return sample{s.nanoseconds - t.nanoseconds, s.allocations - t.allocations, s.bytes - t.bytes}
}

// compare reports what two filters add to the bare handler.
func compare(b *testing.B, bare, peer, ours http.Handler, r *http.Request) {
	b.Helper()
	handlers := []http.Handler{bare, peer, ours}
	samples := make([][]sample, len(handlers))
	for _, handler := range handlers { // creates what is created only once
		serve(handler, r)
	}
	for b.Loop() {
		for i, handler := range handlers {
			samples[i] = append(samples[i], serve(handler, r))
		}
	}
	base := median(samples[0])
	theirs, our := median(samples[1]).minus(base), median(samples[2]).minus(base)
	b.ReportMetric(theirs.nanoseconds, "peer-ns")
	b.ReportMetric(our.nanoseconds, "ours-ns")
	b.ReportMetric(theirs.nanoseconds/our.nanoseconds, "peer/ours")
	b.ReportMetric(theirs.allocations, "peer-allocs")
	b.ReportMetric(our.allocations, "ours-allocs")
	b.ReportMetric(theirs.bytes, "peer-B")
	b.ReportMetric(our.bytes, "ours-B")
	b.ReportMetric(0, "ns/op") // hides the time of the three together
}

// serve measures one request as the mean of many.
func serve(handler http.Handler, r *http.Request) sample {
	const requests = 500
	w := &response{header: http.Header{}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	for range requests {
		clear(w.header)
		handler.ServeHTTP(w, r)
	}
	took := time.Since(begin)
	runtime.ReadMemStats(&after)
	return sample{
		nanoseconds: float64(took) / requests,
		allocations: float64(after.Mallocs-before.Mallocs) / requests,
		bytes:       float64(after.TotalAlloc-before.TotalAlloc) / requests,
	}
}

func median(samples []sample) sample {
	of := func(value func(sample) float64) float64 {
		values := make([]float64, len(samples))
		for i, s := range samples {
			values[i] = value(s)
		}
		return medianOf(values)
	}
	return sample{
		nanoseconds: of(func(s sample) float64 { return s.nanoseconds }),
		allocations: of(func(s sample) float64 { return s.allocations }),
		bytes:       of(func(s sample) float64 { return s.bytes }),
	}
}

func medianOf(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// response discards everything.
type response struct{ header http.Header }

var _ http.ResponseWriter = (*response)(nil)

func (w *response) Header() http.Header         { return w.header }
func (w *response) Write(p []byte) (int, error) { return len(p), nil }
func (w *response) WriteHeader(int)             {}
