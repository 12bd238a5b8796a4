package apf_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/server/mux"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

// listOfPods returns a list as the preceding filters leave it.
func listOfPods() *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/api/v1/pods?resourceVersion=0", nil)
	ctx := request.WithReceivedTimestamp(context.Background(), time.Now())
	ctx = request.WithUser(ctx, &user.DefaultInfo{Name: "alice"})
	return r.WithContext(request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true, Verb: "list", APIVersion: "v1", Resource: "pods", Path: r.URL.Path,
	}))
}

func TestAdoptersChooseWhatListsCost(t *testing.T) {
	options := apf.FilterOptions{
		ListCost: estimate.CostLearned,
		Objects:  func(string) (int64, error) { return 10_000, nil },
		Sizes:    func(string) int64 { return 1_000 },
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 250_000)) })
	for name, chain := range map[string]func(f *apf.FlowControl) http.Handler{
		"by a whole filter": func(f *apf.FlowControl) http.Handler { return f.Filter(options).Handler(handler) },
		"around and inside a chain with the filter of the library": func(f *apf.FlowControl) http.Handler {
			filter := f.Filter(options)
			return filter.Around(filters.WithPriorityAndFairness(filter.Inside(handler),
				func(*http.Request, *request.RequestInfo) bool { return false }, f, nil, time.Minute))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := apf.New(apf.Config{Total: 100})
			require.NoError(t, err)
			governed, debug := chain(f), mux.NewPathRecorderMux("debug")
			f.Install(debug)
			for range 5 {
				w := httptest.NewRecorder()
				governed.ServeHTTP(w, listOfPods())
				require.Equal(t, http.StatusOK, w.Code)
			}
			w := httptest.NewRecorder()
			debug.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/debug/api_priority_and_fairness/list_costs", nil))
			assert.Regexp(t, `pods,\s+cache,\s+all,\s+none,\s+none,\s+object,\s+3,\s+250000,\s+1000000,\s+5,`, w.Body.String())
			seats := 0.0
			for _, series := range f.Engine().Report().Series {
				seats += series.EstimatedSeats.Sum
			}
			assert.InDelta(t, 10+10+10+3+3, seats, 0, "seats of the five lists")
		})
	}
}
