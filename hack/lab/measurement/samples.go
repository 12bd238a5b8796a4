package measurement

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Sample is one try of a request.
type Sample struct {
	// Flow names the flow that sent it.
	Flow string
	// At is when it was sent, since the start of the load. Took is the time until the answer, or until the
	// client left.
	At, Took time.Duration
	// Status is the answer's, 0 if there was none.
	Status int
	// RetryAfter is how long the server asks the client to wait; 0 if it does not say.
	RetryAfter time.Duration
	// Try counts from 1. Last reports that no further try of the request follows.
	Try  int
	Last bool
	// Left reports that the client's patience ended before the answer.
	Left bool
	// Err says why there is no answer, unless the client left.
	Err error
}

// Served reports whether the answer is neither 429 nor a server error.
func (s Sample) Served() bool {
	return s.Status != 0 && s.Status != http.StatusTooManyRequests && s.Status < http.StatusInternalServerError
}

// Rejected reports whether the answer is 429 Too Many Requests.
func (s Sample) Rejected() bool { return s.Status == http.StatusTooManyRequests }

// Samples are the tries of a load, in no order.
type Samples []Sample

// Where returns the samples for which keep is true.
func (s Samples) Where(keep func(Sample) bool) (kept Samples) {
	for _, one := range s {
		if keep(one) {
			kept = append(kept, one)
		}
	}
	return kept
}

// Of returns the samples of these flows.
func (s Samples) Of(flows ...string) Samples {
	return s.Where(func(one Sample) bool { return slices.Contains(flows, one.Flow) })
}

// Between returns the samples that were sent from one time until before another, since the start of the load.
func (s Samples) Between(from, to time.Duration) Samples {
	return s.Where(func(one Sample) bool { return one.At >= from && one.At < to })
}

// Ended returns the samples that were answered from one time until before another, since the start of the load.
func (s Samples) Ended(from, to time.Duration) Samples {
	return s.Where(func(one Sample) bool { end := one.At + one.Took; return end >= from && end < to })
}

// Served is the number of tries that were served.
func (s Samples) Served() int { return len(s.Where(Sample.Served)) }

// Rejected is the number of tries that were answered 429.
func (s Samples) Rejected() int { return len(s.Where(Sample.Rejected)) }

// Left is the number of tries whose client left.
func (s Samples) Left() int { return len(s.Where(func(one Sample) bool { return one.Left })) }

// Failed returns the number of tries with a server error or without an answer, and the reason of the last one.
// It counts no client that left.
func (s Samples) Failed() (count int, last error) {
	for _, one := range s {
		switch {
		case one.Err != nil:
			last = one.Err
		case one.Status >= http.StatusInternalServerError:
			last = fmt.Errorf("status %d", one.Status)
		default:
			continue
		}
		count++
	}
	return count, last
}

// Quantile returns the latency that the share q, from 0 to 1, of the served tries does not exceed, or 0 if
// none was served.
func (s Samples) Quantile(q float64) time.Duration {
	var took []time.Duration
	for _, one := range s.Where(Sample.Served) {
		took = append(took, one.Took)
	}
	if len(took) == 0 {
		return 0
	}
	return Quantile(took, q)
}

// Never is the latency of a try that was not served, for Within.
const Never = 1000 * time.Hour

// Within returns the latency within which the share q of all tries are served, or Never. Without
// tries it is 0.
func (s Samples) Within(q float64) time.Duration {
	var took []time.Duration
	for _, one := range s {
		if one.Served() {
			took = append(took, one.Took)
		} else {
			took = append(took, Never)
		}
	}
	if len(took) == 0 {
		return 0
	}
	return Quantile(took, q)
}

// restStep is the resolution of UntilRest.
const restStep = 100 * time.Millisecond

// UntilRest returns how long after a time the tries are at rest: 99 % of the tries of the next
// window are served within the bound. It returns Never if that is not so before the time given as the end. A
// window without tries is not at rest.
func (s Samples) UntilRest(from, end, window, bound time.Duration) time.Duration {
	for at := from; at+window <= end; at += restStep {
		if within := s.Between(at, at+window).Within(0.99); within > 0 && within <= bound {
			return at - from
		}
	}
	return Never
}
