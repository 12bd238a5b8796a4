package filter

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// The test repeats the names because they are part of the API.
const (
	schemaHeader = "X-Kubernetes-PF-FlowSchema-UID"
	levelHeader  = "X-Kubernetes-PF-PriorityLevel-UID"
)

func TestEveryGovernedResponseSaysWhereItWasClassified(t *testing.T) {
	for _, test := range []struct {
		name, verb string
		seats      int
		code       int
	}{
		{"a request that is served", "get", 1, http.StatusOK},
		{"a watch that is served", "watch", 1, http.StatusOK},
		{"a request that is rejected", "get", 0, http.StatusTooManyRequests},
		{"a watch that is rejected", "watch", 0, http.StatusTooManyRequests},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(t, queueset.Reject, test.seats)
			w := s.ask(s.before(func(w http.ResponseWriter, _ *http.Request) {
				assert.Equal(t, schemaUID, w.Header().Get(schemaHeader), "the handler must find it there")
				w.WriteHeader(http.StatusOK)
			}), requestBy(nobody, test.verb, ""))
			assert.Equal(t, test.code, w.Code)
			assert.Equal(t, []string{schemaUID}, w.Result().Header.Values(schemaHeader))
			assert.Equal(t, []string{levelUID}, w.Result().Header.Values(levelHeader))
		})
	}
}

func TestAResponseHasNoUIDsOfObjectsThatHaveNone(t *testing.T) {
	s := newSite(t, queueset.Reject, 1)
	w := s.ask(s.before(func(http.ResponseWriter, *http.Request) {}), requestBy("somebody of catch-all", "get", ""))
	assert.Empty(t, w.Result().Header.Values(schemaHeader))
	assert.Empty(t, w.Result().Header.Values(levelHeader))
}

// Handler chains of two flow controls may nest. Each has options of its own.
func TestTheExchangeOfAnotherEngineIsNotUsed(t *testing.T) {
	outer, inner := newSite(t, queueset.Reject, 1), newSite(t, queueset.Reject, 1)
	outer.before(func(_ http.ResponseWriter, r *http.Request) {
		assert.NotNil(t, exchangeOf(r.Context(), outer.engine))
		assert.Nil(t, exchangeOf(r.Context(), inner.engine))
	}).ServeHTTP(httptest.NewRecorder(), requestBy(nobody, "get", ""))
}

func TestLongRunningRequestsAreNotGovernedUnlessTheyWatch(t *testing.T) {
	s := newSite(t, queueset.Reject, 0)
	served := 0
	handler := s.before(func(http.ResponseWriter, *http.Request) { served++ })

	proxy := requestBy(nobody, "proxy", "")
	logs := requestBy(nobody, "get", "")
	info, _ := apirequest.RequestInfoFrom(logs.Context())
	info.Subresource = "log"
	for _, r := range []*http.Request{proxy, logs} {
		w := s.ask(handler, r)
		assert.Equal(t, http.StatusOK, w.Code)
		assert.Empty(t, w.Header().Get(schemaHeader))
	}
	assert.Equal(t, 2, served)
	assert.Equal(t, http.StatusTooManyRequests, s.ask(handler, requestBy(nobody, "watch", "")).Code)
	assert.Equal(t, 2, served)
}

// See kubernetes/kubernetes 97206 and 111850.
func TestPanicOfTheHandlerGivesTheSeatsBack(t *testing.T) {
	for _, test := range []struct{ name, user, level, schema string }{
		{"on a level that limits", nobody, "tested", "everybody"},
		{"on the exempt level", master, "exempt", "exempt"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(t, queueset.Queue, 1)
			broken := s.before(func(http.ResponseWriter, *http.Request) {
				assert.Equal(t, 1, s.figures(test.level).Executing)
				panic(http.ErrAbortHandler)
			})
			// net/http compares the value, so it must not be wrapped.
			assert.PanicsWithValue(t, http.ErrAbortHandler, func() { s.ask(broken, requestBy(test.user, "update", "")) })
			s.requireIdle()
			assert.EqualValues(t, 1, s.series(test.schema).ExecutionRegular.Count())
		})
	}
}

func TestRequestWaitsForASeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, queueset.Queue, 1)
		release := s.busy()
		var trackers *apirequest.LatencyTrackers
		answered := make(chan int, 1)
		go func() {
			r := requestBy(nobody, "create", "")
			r = r.WithContext(apirequest.WithLatencyTrackers(r.Context()))
			trackers, _ = apirequest.LatencyTrackersFrom(r.Context())
			answered <- s.ask(s.before(func(http.ResponseWriter, *http.Request) {}), r).Code
		}()
		synctest.Wait()
		assert.Equal(t, 1, s.figures("tested").Waiting)
		time.AfterFunc(3*time.Second, release)

		assert.Equal(t, http.StatusOK, <-answered)
		s.requireIdle()
		assert.Equal(t, 3*time.Second, trackers.APFQueueWaitTracker.GetLatency(), "the time in the queue is not the handler's")
	})
}

func TestWaitingEndsAtAQuarterOfTheDeadline(t *testing.T) {
	for _, test := range []struct {
		name               string
		underWay, deadline time.Duration // the time before the filter and the remaining time
		waitLimit          time.Duration
		leaves             time.Duration // the client; 0 if it does not
		want               time.Duration
	}{
		{"a quarter of the deadline", 0, 40 * time.Second, time.Hour, 0, 10 * time.Second},
		{"counted from the arrival at the server", 4 * time.Second, 36 * time.Second, time.Hour, 0, 6 * time.Second},
		{"at most a minute", 0, time.Hour, time.Hour, 0, time.Minute},
		{"without a deadline the limit counts", 0, 0, 15 * time.Second, 0, 15 * time.Second},
		{"without a deadline too a minute is the most", 0, 0, time.Hour, 0, time.Minute},
		{"no limit is a minute", 0, 0, 0, 0, time.Minute},
		{"at once if the time is up", 20 * time.Second, 20 * time.Second, time.Hour, 0, 0},
		{"105739: at once if the client leaves, which is no time-out", 0, 40 * time.Second, time.Hour, time.Second, time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t, queueset.Queue, 1)
				s.options.WaitLimit = test.waitLimit
				release := s.busy()
				r := requestBy(nobody, "get", "")
				ctx := apirequest.WithReceivedTimestamp(r.Context(), time.Now().Add(-test.underWay))
				if test.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
					defer cancel()
					if test.leaves > 0 {
						time.AfterFunc(test.leaves, cancel)
					}
				}
				ctx = apirequest.WithLatencyTrackers(ctx)
				trackers, _ := apirequest.LatencyTrackersFrom(ctx)
				begin := time.Now()
				w := s.ask(s.before(func(http.ResponseWriter, *http.Request) { t.Error("served") }), r.WithContext(ctx))

				assert.Equal(t, http.StatusTooManyRequests, w.Code)
				assert.Equal(t, test.want, time.Since(begin))
				assert.Equal(t, test.want, trackers.APFQueueWaitTracker.GetLatency())
				want := [stats.Reasons]uint64{stats.TimeOut: 1}
				if test.leaves > 0 {
					want = [stats.Reasons]uint64{stats.Cancelled: 1}
				}
				assert.Equal(t, want, s.series("everybody").Rejected)
				release()
				s.requireIdle()
			})
		})
	}
}

func TestEmptyHeadersAreLeftOutHoweverAResponseBegins(t *testing.T) {
	for name, begin := range map[string]http.HandlerFunc{
		"by its body":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("done")) },
		"by its status": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) },
		"by a flush":    func(w http.ResponseWriter, _ *http.Request) { w.(http.Flusher).Flush() },
		"by its end":    func(http.ResponseWriter, *http.Request) {},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, queueset.Reject, 1)
			w := s.ask(New(s.engine, s.options).Around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set(schemaHeader, "")
				w.Header().Set(levelHeader, "uid")
				begin(w, r)
			})), requestBy(nobody, "get", ""))
			assert.NotContains(t, w.Result().Header, http.CanonicalHeaderKey(schemaHeader))
			assert.Equal(t, []string{"uid"}, w.Result().Header.Values(levelHeader))
		})
	}
}
