package filter

import (
	"context"
	"net/http"

	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// chainRequest is a request in a handler chain with WithPriorityAndFairness of k8s.io/apiserver,
// which gives its FlowControl only parts of the request.
type chainRequest struct {
	*WorkEstimator
	http    *http.Request
	seating *Seating // nil unless it is a list that executes
}

// Around returns a filter that lets a FlowControl know the requests, and storages the seats
// of lists. It comes before WithPriorityAndFairness in the handler chain, in any place.
func (e *WorkEstimator) Around(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		of := &chainRequest{WorkEstimator: e, http: r}
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), seatingKey{}, of)))
	})
}

// RequestOf returns the request of a context below Around, or nil.
func RequestOf(ctx context.Context) *http.Request {
	if of, ok := ctx.Value(seatingKey{}).(*chainRequest); ok {
		return of.http.WithContext(ctx)
	}
	return nil
}

// Begin notes that a list executes below Around. The caller must call End of the Seating instead
// of Finish and End of the request. It returns nil for other requests.
func Begin(ctx context.Context, r *engine.Request, work seats.Work) *Seating {
	if r.Attributes.Verb != "list" { // nothing else pays for a look into the context
		return nil
	}
	of, ok := ctx.Value(seatingKey{}).(*chainRequest)
	info, known := apirequest.RequestInfoFrom(ctx)
	if !ok || !known {
		return nil
	}
	list := of.lists.work(of.http, info, 0)
	list.measured = nil // Measure has it
	of.seating = of.lists.seating(of.http, info, &list)
	level := r.Level().Name
	of.seating.limit, of.seating.reject = of.options.WaitLimit, func(queueset.Reason) error { return of.rejected(level) }
	of.seating.begin(r, work)
	return of.seating
}

// rejected returns the error of a list that asked for seats again and got none.
func (e *WorkEstimator) rejected(level string) error {
	return (*explanation)(nil).status(tooManyReads, e.rejections.add(level, e.lists.now()))
}
