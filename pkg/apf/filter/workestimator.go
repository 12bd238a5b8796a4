package filter

import (
	"net/http"
	"time"

	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// WorkEstimator estimates requests for WithPriorityAndFairness of k8s.io/apiserver, for a
// server that has that filter in a handler chain of its own. Create one with
// NewWorkEstimator. A server with the filter of this package needs none.
type WorkEstimator struct {
	options    Options
	lists      *lists
	maxSeats   func(priorityLevel string) uint64
	rejections *rejections
}

// NewWorkEstimator returns a WorkEstimator by the Objects, ListCost, Sizes, Learner, CountsReads and
// Watches of the options. maxSeats is GetMaxSeats of the FlowControl, now the clock of the
// Learner.
func NewWorkEstimator(options Options, maxSeats func(priorityLevel string) uint64, now func() time.Duration) *WorkEstimator {
	options = options.complete()
	return &WorkEstimator{options: options, lists: newLists(options, now), maxSeats: maxSeats, rejections: newRejections()}
}

// EstimateWork is the estimator that WithPriorityAndFairness calls.
func (e *WorkEstimator) EstimateWork(r *http.Request, _, priorityLevel string) fcrequest.WorkEstimate {
	work := estimate.One()
	if info, ok := apirequest.RequestInfoFrom(r.Context()); ok {
		work = e.work(r, info, int(e.maxSeats(priorityLevel)))
	}
	return fcrequest.WorkEstimate{
		InitialSeats: uint64(work.Initial), FinalSeats: uint64(work.Final), AdditionalLatency: work.Latency,
	}
}

func (e *WorkEstimator) work(r *http.Request, info *apirequest.RequestInfo, maxWidth int) seats.Work {
	if info.Verb == "list" || info.Verb == "watch" {
		return e.lists.work(r, info, maxWidth).Work
	}
	if estimate.IsWrite(&flow.Attributes{Verb: info.Verb, Resource: info.Resource, Subresource: info.Subresource}) {
		return estimate.Write(e.options.Watches.GetInterestedWatchCount(info), maxWidth)
	}
	return estimate.One()
}

// Measure returns a filter that measures lists. It comes directly after
// WithPriorityAndFairness in the handler chain. Without CostLearned it does nothing.
func (e *WorkEstimator) Measure(handler http.Handler) http.Handler {
	if e.lists.learner == nil {
		return handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if info, ok := apirequest.RequestInfoFrom(r.Context()); ok && info.Verb == "list" {
			if list := e.lists.work(r, info, 0).measured; list != nil {
				if seating := SeatingOf(r.Context()); seating != nil {
					seating.measured = list
				}
				list.serve(w, r, handler, nil)
				return
			}
		}
		handler.ServeHTTP(w, r)
	})
}
