package identity

import (
	"net/http"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"

	"golang.org/x/time/rate"
)

// Limits of the reviews that this server sends to kube-apiserver for clients it does
// not know. Reviews for known users have the limits of the library's clients, 200 a
// second, and their own cache.
const (
	// Of SubjectAccessReviews for unauthenticated clients: how many a second, at once
	// after a pause, and in flight.
	unauthenticatedReviewRate      = 10
	unauthenticatedReviewBurst     = 50
	unauthenticatedReviewsInFlight = 20
	// Of TokenReviews for tokens that were not accepted before, of all clients.
	unknownTokenRate      = 50
	unknownTokenBurst     = 200
	unknownTokensInFlight = 50
	// Of the same, from one address.
	addressTokenRate  = 10
	addressTokenBurst = 50
)

// reviewLimit bounds reviews. A request that would exceed it is rejected, not queued:
// a queue of hostile requests would delay the others in it.
type reviewLimit struct {
	kind  string
	sent  *rate.Limiter
	slots chan struct{}
	// rejectedAt is when a rejection was logged last, in Unix nanoseconds.
	rejectedAt atomic.Int64
}

func newReviewLimit(kind string, perSecond rate.Limit, burst, inFlight int) *reviewLimit {
	return &reviewLimit{kind: kind, sent: rate.NewLimiter(perSecond, burst), slots: make(chan struct{}, inFlight)}
}

// acquire reports whether a request that may need a review may go on. The caller
// then calls release.
func (l *reviewLimit) acquire() bool {
	select {
	case l.slots <- struct{}{}:
	default:
		l.logRejection()
		return false
	}
	if l.sent.Tokens() < 1 {
		l.release()
		l.logRejection()
		return false
	}
	return true
}

func (l *reviewLimit) release() { <-l.slots }

// logRejection logs at most once a minute.
func (l *reviewLimit) logRejection() {
	now, last := time.Now().UnixNano(), l.rejectedAt.Load()
	if now-last > int64(time.Minute) && l.rejectedAt.CompareAndSwap(last, now) {
		klog.InfoS("Rejected requests of unknown clients that need a review by kube-apiserver, logged at most once a minute",
			"review", l.kind, "reviewsPerSecond", float64(l.sent.Limit()))
	}
}

// counting returns a transport that counts what it sends. Answers from a cache do
// not reach it, so they count for nothing.
func (l *reviewLimit) counting(next http.RoundTripper) http.RoundTripper {
	return countingTransport{next, l.sent}
}

type countingTransport struct {
	http.RoundTripper
	sent *rate.Limiter
}

// RoundTrip implements http.RoundTripper.
func (t countingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	t.sent.Reserve() // below zero if requests arrived together
	return t.RoundTripper.RoundTrip(request)
}

// errTooManyReviews is what a rejected client is told.
func errTooManyReviews(kind string) *apierrors.StatusError {
	return apierrors.NewTooManyRequests("this server is asked for too many "+kind+"s of clients that it does not know: try again later", 1)
}
