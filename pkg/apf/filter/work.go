package filter

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// work returns the work estimate.
func (r *request) work() seats.Work {
	switch {
	case r.info.Verb == "list" || r.info.Verb == "watch":
		work := r.lists.work(r.http, r.info, r.apf.MaxWidth())
		if r.info.Verb == "list" {
			r.list = work.measured
			r.seating = r.lists.seating(r.http, r.info, &work)
			r.seating.limit, r.seating.reject = r.WaitLimit, rejectAgain(*r)
		}
		return work.Work
	case estimate.IsWrite(&r.apf.Attributes):
		return r.writeWork()
	default:
		return estimate.One()
	}
}

// writeWork estimates a write by the watchers that it notifies.
func (r *request) writeWork() seats.Work {
	watchers := r.Watches.GetInterestedWatchCount(r.info)
	r.apf.ObserveWatchers(watchers)
	if !estimate.IsFannedOut(watchers) {
		return estimate.One()
	}
	return estimate.Write(watchers, r.apf.MaxWidth())
}
