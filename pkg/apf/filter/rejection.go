package filter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// The types of the causes in the details of a Status that explains a rejection. The message of the
// first two is a name, of the last a reason as in the metrics.
const (
	FlowSchemaCause      metav1.CauseType = "FlowSchema"
	PriorityLevelCause   metav1.CauseType = "PriorityLevel"
	RejectionReasonCause metav1.CauseType = "RejectionReason"
)

// tooManyRequests is what the filters of k8s.io/apiserver say.
const tooManyRequests = "Too many requests, please try again later."

// explanation is why a request was rejected.
type explanation struct {
	schema, level, reason string
}

// explanation returns that the request was rejected for a reason, or nil if the user may not know.
func (r *request) explanation(schema, level string, reason queueset.Reason) *explanation {
	if r.Explain == nil || r.Serializer == nil {
		return nil
	}
	requester, ok := apirequest.UserFrom(r.ctx)
	if !ok || !r.Explain(r.ctx, requester) {
		return nil
	}
	return &explanation{schema, level, reason.String()}
}

// rejection is what the client of a rejected request is told.
type rejection struct {
	after       int          // seconds
	explanation *explanation // nil if the user may not know
	ctx         context.Context
	version     schema.GroupVersion // of the request
}

// reject ends a request that got no seats. The library responds, and the exchange completes that.
func (r *request) reject() {
	r.annotate(r.apf.Reason().String())
	if r.exchange != nil {
		r.exchange.rejection = &rejection{
			after: seconds(r.apf.RetryAfter()), ctx: r.ctx,
			explanation: r.explanation(r.apf.Schema().Name, r.apf.Level().Name, r.apf.Reason()),
			version:     schema.GroupVersion{Group: r.info.APIGroup, Version: r.info.APIVersion},
		}
	}
	r.apf.End()
}

// respond writes a Status.
func (r *rejection) respond(e *exchange) {
	e.Header().Del("X-Content-Type-Options") // of the library's text
	responsewriters.ErrorNegotiated(r.explanation.status(tooManyRequests, r.after), e.filter.Serializer, r.version, e.ResponseWriter, e.request.WithContext(r.ctx))
}

// status returns a Status that begins with the message, and is all of it for a nil explanation.
func (e *explanation) status(message string, retryAfter int) *apierrors.StatusError {
	if e == nil {
		return apierrors.NewTooManyRequests(message, retryAfter)
	}
	err := apierrors.NewTooManyRequests(fmt.Sprintf("%s Priority level %q rejected a request of flow schema %q: %s.",
		message, e.level, e.schema, e.reason), retryAfter)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{
		{Type: FlowSchemaCause, Message: e.schema},
		{Type: PriorityLevelCause, Message: e.level},
		{Type: RejectionReasonCause, Message: e.reason},
	}
	return err
}

// tooManyReads is what a list is told that got no seats to read from etcd.
const tooManyReads = tooManyRequests + " The watch cache cannot serve the list, and there are no seats to read it from etcd."

// rejectAgain returns the function for the error of a list that asked for seats again and got none.
// The handler responds with it. The request is a copy, since the filter's is not on the heap.
func rejectAgain(r request) func(*NoSeatsError) error {
	schema, level := r.apf.Schema().Name, r.apf.Level().Name // the request may have ended
	return func(e *NoSeatsError) error {
		return r.explanation(schema, level, e.Reason).status(tooManyReads, seconds(e.RetryAfter))
	}
}

// seconds returns a Retry-After for a client that should return after a time. It is rounded up or
// down at random, so that on average it is right.
func seconds(after time.Duration) int {
	return max(1, int((after+rand.N(time.Second))/time.Second)) //nolint:gosec // no secret
}
