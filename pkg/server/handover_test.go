package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/eventually"
)

func TestClientsAreHandedOverBeforeTheEnd(t *testing.T) {
	h := &handOver{}
	handler := h.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	closes := func() bool {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		require.Equal(t, http.StatusNoContent, recorder.Code)
		return recorder.Header().Get("Connection") == "close"
	}
	stop, done, clock := make(chan struct{}), make(chan struct{}), clocktesting.NewFakeClock(time.Now())
	go func() {
		defer close(done)
		h.wait(stop, clock, time.Second)
	}()
	require.False(t, closes())
	close(stop)
	eventually.Holds(t, "the delay has begun", func(a *eventually.Attempt) { require.True(a, clock.HasWaiters()) })
	require.False(t, closes(), "load balancers have not heard yet")
	clock.Step(time.Second)
	<-done
	require.True(t, closes())
}
