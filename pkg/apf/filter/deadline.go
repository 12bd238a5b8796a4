package filter

import (
	"context"
	"time"

	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// received returns when the server received the request, before its authentication. The library counts
// the deadline of the request, and of its wait, from then.
func received(ctx context.Context) time.Time {
	if at, ok := apirequest.ReceivedTimestampFrom(ctx); ok {
		return at
	}
	return time.Now()
}

// leaves returns when the client of a request leaves, by the deadline of its wait: that is a quarter of
// the deadline of the request. The result is zero if the wait has no deadline.
func leaves(wait context.Context) time.Time {
	limit, ok := wait.Deadline()
	if !ok {
		return time.Time{}
	}
	return limit.Add(3 * limit.Sub(received(wait)))
}

// patienceOfWatch returns for how long a watch that begins now may hold its seats before it has sent
// its initial events: until another request that the server received at the same time would end, but
// at least as long as a request may wait.
func patienceOfWatch(wait context.Context, limit time.Duration) time.Duration {
	at := received(wait)
	if deadline, ok := wait.Deadline(); ok {
		limit = min(limit, deadline.Sub(at))
	}
	return max(limit, 4*limit-time.Since(at))
}
