package filter

import (
	"math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// reject ends a request that got no seats. The library responds, and the exchange completes that.
func (r *request) reject() {
	r.annotate(r.apf.Reason().String())
	if r.exchange != nil {
		r.exchange.rejection = &rejection{
			after: seconds(r.apf.RetryAfter()), explanation: r.explanation(classificationOf(r.apf), r.apf.Reason()), ctx: r.ctx,
			version: schema.GroupVersion{Group: r.info.APIGroup, Version: r.info.APIVersion},
		}
	}
	r.apf.End()
}

// tooManyReads is what a list is told that got no seats to read from etcd.
const tooManyReads = tooManyRequests + " The watch cache cannot serve the list, and there are no seats to read it from etcd."

// rejectAgain returns the function for the error of a list that asked for seats again and got none.
// The handler responds with it. The request is a copy, since the filter's is not on the heap.
func rejectAgain(r request) func(*NoSeatsError) error {
	classified := classificationOf(r.apf) // the request may have ended
	return func(e *NoSeatsError) error {
		return r.explanation(classified, e.Reason).status(tooManyReads, seconds(e.RetryAfter))
	}
}

// seconds returns a Retry-After for a client that should return after a time. It is rounded up or
// down at random, so that on average it is right.
func seconds(after time.Duration) int {
	return max(1, int((after+rand.N(time.Second))/time.Second)) //nolint:gosec // no secret
}
