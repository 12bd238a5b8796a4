package flowcontrol_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apiserver/pkg/server/filters"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// TestWatchThatIsNeverInitialized watches a resource whose watch cache is never filled. The watch
// may last for an hour, but may not keep the only seat for as long.
func TestWatchThatIsNeverInitialized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		controller, factory := newController(1)
		run(t, controller, factory)
		oneSeat := func(*http.Request, string, string) fcrequest.WorkEstimate {
			return fcrequest.WorkEstimate{InitialSeats: 1}
		}
		handler := filters.WithPriorityAndFairness(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("watch") {
				<-r.Context().Done()
			}
		}), nil, controller, oneSeat, time.Minute/4)
		send := func(ctx context.Context, verb, url string) int {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, asUser(httptest.NewRequestWithContext(ctx, http.MethodGet, url, nil), "informer", verb, "crontabs"))
			return w.Code
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		go send(ctx, "watch", "/apis/example.com/v1/crontabs?watch=true")
		<-time.After(2 * time.Minute)
		if status := send(t.Context(), "get", "/apis/example.com/v1/crontabs/nightly"); status != http.StatusOK {
			t.Errorf("Expected a request to execute 2 minutes after the watch began, got status %d", status)
		}
	})
}
