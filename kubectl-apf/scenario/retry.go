package scenario

import "time"

const (
	// defaultAttempts is how often client-go repeats a request.
	defaultAttempts = 10
	maxBackoff      = time.Minute
)

// wait returns how long a client waits before it repeats a request that was repeated so
// often already; ok is false if it gives up.
func (r *Retries) wait(a Answer, repeated int) (after time.Duration, ok bool) {
	attempts := defaultAttempts
	if r.Attempts != nil {
		attempts = *r.Attempts
	}
	switch {
	case !a.rejected() || repeated >= attempts:
		return 0, false
	case a.RetryAfter > 0 && !r.IgnoreRetryAfter:
		return a.RetryAfter, true
	case r.Backoff > 0:
		return doubled(time.Duration(r.Backoff), repeated, maxBackoff), true
	default:
		return 0, false
	}
}

// doubled returns a duration, doubled so often, of at most limit.
func doubled(d time.Duration, times int, limit time.Duration) time.Duration {
	for range times {
		if d *= 2; d >= limit {
			return limit
		}
	}
	return min(d, limit)
}
