package filter

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage/cacher/delegator"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// work returns the work estimate.
func (r *request) work() seats.Work {
	switch {
	case r.info.Verb == "list" || r.info.Verb == "watch":
		return r.readWork()
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

// readWork estimates a list or a watch. A watch may begin with a list.
func (r *request) readWork() seats.Work {
	// The storage reads only the object of that name. RequestInfo takes the name
	// from the path or from a field selector.
	if r.info.Name != "" {
		return estimate.One()
	}
	var options metav1.ListOptions
	if r.http.URL.RawQuery != "" {
		query := r.http.URL.Query()
		if err := metav1.Convert_url_Values_To_v1_ListOptions(&query, &options, nil); err != nil {
			// The handler will reject it. The largest estimate keeps invalid options
			// from being cheaper than valid ones.
			return estimate.Most(r.apf.MaxWidth())
		}
	}
	if r.info.Verb == "watch" && !sendsInitialEvents(&options) {
		return estimate.One()
	}
	return r.listWork(&options)
}

// sendsInitialEvents reports whether a watch sends the present state before changes.
// Unless sendInitialEvents says so, it does if there is no resourceVersion.
func sendsInitialEvents(o *metav1.ListOptions) bool {
	if o.SendInitialEvents != nil {
		return *o.SendInitialEvents
	}
	return o.ResourceVersion == "" || o.ResourceVersion == "0"
}

// listWork estimates a list by the number of stored objects.
func (r *request) listWork(options *metav1.ListOptions) seats.Work {
	stored, err := r.Objects(groupResource(r.info))
	switch {
	case errors.Is(err, fcrequest.ObjectCountNotFoundErr):
		// This server does not store the type: the list is empty or proxied.
		return estimate.One()
	case err != nil:
		// The count is stale, because the storage does not respond.
		return estimate.Most(r.apf.MaxWidth())
	}
	list := estimate.List{
		Stored:  stored,
		Limit:   options.Limit,
		Selects: options.FieldSelector != "" || options.LabelSelector != "",
		Cached:  true,
	}
	if r.info.Verb == "list" {
		source, err := delegator.ShouldDelegateListMeta(options, delegator.CacheWithoutSnapshots{})
		if err != nil {
			return estimate.Most(r.apf.MaxWidth())
		}
		list.Cached = !source.ShouldDelegate
	}
	return list.Work(r.apf.MaxWidth())
}

// groupResource names a type as the StorageObjectCountTracker does.
func groupResource(info *apirequest.RequestInfo) string {
	if info.APIGroup == "" {
		return info.Resource
	}
	return info.Resource + "." + info.APIGroup
}
