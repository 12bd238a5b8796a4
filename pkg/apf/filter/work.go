package filter

import (
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// work returns the work estimate, by the library's estimate if the request is not known.
func (r *request) work(estimateWork func() fcrequest.WorkEstimate) seats.Work {
	isWrite := estimate.IsWrite(&r.apf.Attributes)
	watchers := 0
	if isWrite { // the library counts them too, but in its own metric
		watchers = r.Watches.GetInterestedWatchCount(r.info)
		r.apf.ObserveWatchers(watchers)
	}
	if r.exchange == nil {
		return workOf(estimateWork())
	}
	work := estimate.One()
	switch {
	case r.info.Verb == "list" || r.info.Verb == "watch":
		work = r.listWork()
	case isWrite:
		work = estimate.Write(watchers, r.apf.MaxWidth())
	}
	r.logWork(work)
	return work
}

// listWork estimates a list or a watch, and notes what a list needs while it executes.
func (r *request) listWork() seats.Work {
	work := r.lists.work(r.exchange.request, r.info, r.apf.MaxWidth())
	if !r.apf.Exempt() { // no estimate bounds those
		r.lists.count(&r.exchange.unmeasured, &work)
	}
	if r.info.Verb == "list" {
		r.exchange.list = work.measured
		seating := r.lists.newSeating(r.exchange, r.info, &work)
		seating.limit, seating.reject = r.WaitLimit, rejectAgain(*r)
		r.exchange.seating = seating
	}
	return work.Work
}
