package filter

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// estimated is flow control that records the estimates that the library's filter makes.
type estimated struct {
	flowcontrol.Interface
	seats []uint64
}

func (e *estimated) Handle(
	_ context.Context, _ flowcontrol.RequestDigest,
	note func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string),
	estimateWork func() fcrequest.WorkEstimate, _ fairqueuing.QueueNoteFn, execute func(),
) {
	note(&flowcontrolv1.FlowSchema{}, &flowcontrolv1.PriorityLevelConfiguration{}, "")
	e.seats = append(e.seats, estimateWork().InitialSeats)
	execute()
}

func TestFilterOfTheLibraryTakesTheListCost(t *testing.T) {
	for cost, want := range map[estimate.ListCost][]uint64{
		estimate.CostByCount: {10, 10, 10, 10}, estimate.CostBySize: {4, 4, 4, 4}, estimate.CostLearned: {4, 4, 4, 1},
	} {
		t.Run(string(cost), func(t *testing.T) {
			recorded := &estimated{}
			costs := NewWorkEstimator(Options{
				ListCost: cost, Objects: func(string) (int64, error) { return 2_000, nil }, Sizes: func(string) int64 { return 200 },
			}, func(string) uint64 { return 0 }, func() time.Duration { return time.Second })
			handler := filters.WithPriorityAndFairness(costs.Measure(writing([]byte("{}"), 2)),
				func(*http.Request, *apirequest.RequestInfo) bool { return false }, recorded, costs.EstimateWork, time.Minute)
			for range 4 {
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, requestBy(nobody, "list", fromCache))
				require.Equal(t, "{}", w.Body.String())
			}
			assert.Equal(t, want, recorded.seats)
			recorded.seats = nil
			handler.ServeHTTP(httptest.NewRecorder(), requestBy(nobody, "get", ""))
			assert.Equal(t, []uint64{1}, recorded.seats)
		})
	}
}

func TestEstimatesForTheLibraryAreThoseOfTheFilter(t *testing.T) {
	s := newSite(t, queueset.Queue, 60)
	k := known{stored: 5_000, watchers: 300}
	for _, verb := range []string{"list", "watch", "get", "update", "delete", "deletecollection"} {
		for _, cost := range []estimate.ListCost{estimate.CostByCount, estimate.CostBySize, estimate.CostLearned} {
			s.options.ListCost = cost
			r := requestBy(nobody, verb, "limit=100&continue=x")
			want := s.workOf(k, r)
			costs := NewWorkEstimator(s.options, func(level string) uint64 { return uint64(s.engine.MaxWidth(level)) }, s.engine.Now)
			assert.Equal(t, fcrequest.WorkEstimate{
				InitialSeats: uint64(want.Initial), FinalSeats: uint64(want.Final), AdditionalLatency: want.Latency,
			}, costs.EstimateWork(r, "everybody", "tested"), "%s by %s", verb, cost)
		}
	}
	assert.EqualValues(t, 1, NewWorkEstimator(s.options, nil, s.engine.Now).EstimateWork(httptest.NewRequest(http.MethodGet, "/", nil), "", "").InitialSeats)
}
