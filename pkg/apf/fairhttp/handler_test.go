package fairhttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/fairhttp"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/limiter"
)

func newLimiter(t *testing.T) *limiter.Limiter {
	t.Helper()
	l, err := limiter.New(limiter.Config{Seats: 1, MaxWaiting: 4, MaxWaitingPerFlow: 4})
	require.NoError(t, err)
	return l
}

// ask sends a request and returns its response.
func ask(ctx context.Context, h http.Handler) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx))
	return w
}

func one(*http.Request) (limiter.Flow, int) { return limiter.Flow{Name: "a"}, 1 }

func TestARequestHasItsSeatsUntilItsHandlerEnds(t *testing.T) {
	l := newLimiter(t)
	inUse := func() int { _, n := l.Usage(); return n }
	h := fairhttp.Handler(l, one, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		assert.Equal(t, 1, inUse())
		w.WriteHeader(http.StatusTeapot)
	}))
	assert.Equal(t, http.StatusTeapot, ask(t.Context(), h).Code)
	assert.Zero(t, inUse())
	aborts := fairhttp.Handler(l, one, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() { ask(t.Context(), aborts) })
	assert.Zero(t, inUse(), "after a panic too")
}

func TestWhoGetsNoSeatsIsToldWhenToReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t)
		release, err := l.Acquire(t.Context(), limiter.Flow{Name: "b"}, 1)
		require.NoError(t, err)
		defer release()
		h := fairhttp.Handler(l, one, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it must not execute") }))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		w := ask(ctx, h)
		assert.Equal(t, http.StatusTooManyRequests, w.Code)
		after, err := strconv.Atoi(w.Header().Get("Retry-After"))
		require.NoError(t, err)
		assert.GreaterOrEqual(t, after, 1)
		assert.Equal(t, http.StatusServiceUnavailable, ask(ctx, h).Code, "its context has ended")
		none := fairhttp.Handler(l, func(*http.Request) (limiter.Flow, int) { return limiter.Flow{}, 0 }, h)
		assert.Equal(t, http.StatusInternalServerError, ask(t.Context(), none).Code)
	})
}
