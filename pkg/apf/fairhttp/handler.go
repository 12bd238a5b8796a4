// Package fairhttp limits how many requests an http.Handler executes at once, and shares the seats
// fairly among flows of clients. It is package limiter in front of a handler, for a program that is not an
// API server. An API server uses package filter.
package fairhttp

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/limiter"
)

// Classify returns the flow of a request and its number of seats, at least 1. The name of a flow must be
// one that the client cannot choose, or can only choose within its tenant: an authenticated user, not a
// header or a path.
type Classify func(*http.Request) (limiter.Flow, int)

// Handler returns a handler that lets next handle a request once it has its seats, and gives them back when
// next returns or panics. A request that gets none is answered 429 (Too Many Requests) with Retry-After
// in seconds, and 503 (Service Unavailable) if its context had ended before. Requests that last, such as
// WebSockets, hold their seats to their end: keep them out, or give them a limiter of their own.
func Handler(l *limiter.Limiter, classify Classify, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		flow, seats := classify(r)
		release, err := l.Acquire(r.Context(), flow, seats)
		if err != nil {
			refuse(w, r, err)
			return
		}
		defer release()
		next.ServeHTTP(w, r)
	})
}

// refuse answers a request that got no seats.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	if rejection, ok := errors.AsType[*limiter.Rejection](err); ok {
		w.Header().Set("Retry-After", strconv.Itoa(seconds(rejection.RetryAfter)))
		http.Error(w, "Too many requests, please try again later.", http.StatusTooManyRequests)
		return
	}
	if r.Context().Err() != nil {
		http.Error(w, "The request ended before it was handled.", http.StatusServiceUnavailable)
		return
	}
	http.Error(w, err.Error(), http.StatusInternalServerError) // classify returned what Acquire does not accept
}

// seconds returns a Retry-After, rounded up or down at random, so that on average it is right.
func seconds(after time.Duration) int {
	return max(1, int((after+rand.N(time.Second))/time.Second)) //nolint:gosec // no secret
}
