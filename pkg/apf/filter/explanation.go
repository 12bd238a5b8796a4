package filter

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
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
	classification
	reason string
}

// classification names what a request was classified to.
type classification struct{ schema, level string }

func classificationOf(r *engine.Request) classification {
	return classification{r.Schema().Name, r.Level().Name}
}

// explanation returns that the request was rejected for a reason, or nil if the user may not know.
func (r *request) explanation(of classification, reason queueset.Reason) *explanation {
	if r.Explain == nil || r.Serializer == nil {
		return nil
	}
	requester, ok := apirequest.UserFrom(r.ctx)
	if !ok || !r.Explain(r.ctx, requester) {
		return nil
	}
	return &explanation{of, reason.String()}
}

// rejection is what the client of a rejected request is told.
type rejection struct {
	after       int          // seconds
	explanation *explanation // nil if the user may not know
	ctx         context.Context
	version     schema.GroupVersion // of the request
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
