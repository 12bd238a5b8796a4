package filter

import (
	"errors"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage/cacher/delegator"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// lists estimates lists, and watches, which may begin with one.
type lists struct {
	objects     func(groupResource string) (int64, error)
	sizes       func(groupResource string) int64
	estimator   estimate.Estimator
	formula     estimate.Formula  // of the estimator
	history     *estimate.History // nil if costs are not learned
	countsReads bool
	now         func() time.Duration // of the history
	total       func() int           // seats of the server
	vacant      vacant
}

func newLists(o Options, e *engine.Engine) *lists {
	now := e.Now
	estimator := o.ListCost.Estimator(estimate.Learned{History: o.History, Now: now, CountsReads: o.CountsReads})
	return &lists{
		objects: o.Objects, sizes: o.Sizes, estimator: estimator, formula: estimator.Formula(),
		history: o.History, countsReads: o.CountsReads, now: now, total: e.Total,
	}
}

// listWork is the estimate of a list or a watch.
type listWork struct {
	seats.Work
	source     estimate.Source     // ByOptions where nothing depends on it
	unmeasured estimate.Unmeasured // of a list whose cost is learned
	measured   *measuredList       // nil if it is not to be measured
}

// work estimates a list or a watch on a level whose bound is maxWidth seats; 0 means none.
func (l *lists) work(r *http.Request, info *apirequest.RequestInfo, maxWidth int) listWork {
	return l.workFrom(sourceOf, r, info, maxWidth)
}

// workFrom estimates what source says serves it.
func (l *lists) workFrom(source sourceFunc, r *http.Request, info *apirequest.RequestInfo, maxWidth int) listWork {
	one, most := listWork{Work: estimate.One()}, listWork{Work: l.formula.Most(maxWidth)}
	// The storage reads only the object of that name. RequestInfo takes the name
	// from the path or from a field selector.
	if info.Name != "" && !l.formula.BySize {
		return one
	}
	var options metav1.ListOptions
	if r.URL.RawQuery != "" {
		query := r.URL.Query()
		if err := metav1.Convert_url_Values_To_v1_ListOptions(&query, &options, nil); err != nil {
			// The handler will reject it. The largest estimate keeps invalid options
			// from being cheaper than valid ones.
			return most
		}
	}
	read := estimate.Read{
		Watch: info.Verb == "watch", Named: info.Name != "",
		Selects: options.FieldSelector != "" || options.LabelSelector != "",
		Limit:   options.Limit, ResourceVersion: options.ResourceVersion,
		SendInitialEvents: options.SendInitialEvents,
	}
	if !l.formula.CountsStored(read) {
		return one
	}
	stored := l.stored(groupResource(info))
	if stored.Unknown {
		// This server does not store the type: the list is empty or proxied.
		return one
	}
	var err error
	if read.Source, err = source(info, &options); err != nil {
		return most
	}
	if l.history != nil {
		read.Type = estimate.StoredType{Group: info.APIGroup, Resource: info.Resource}
		read.Kind = kindOf(info, &options, !read.Watch && isEncodedWhole(r), read.Source)
	}
	cost := l.estimator.Read(read, stored, maxWidth)
	work := listWork{Work: cost.Work, source: read.Source}
	if l.history == nil {
		return work
	}
	work.unmeasured = l.formula.Unmeasured(cost, maxWidth)
	if !read.Watch { // the response to a watch does not say where the list ends
		work.measured = l.measured(&read, &cost)
	}
	return work
}

// sourceFunc returns what serves a list, or the list that a watch begins with.
type sourceFunc func(*apirequest.RequestInfo, *metav1.ListOptions) (estimate.Source, error)

// fromStorage is the sourceFunc of a list that bypasses the watch cache.
func fromStorage(*apirequest.RequestInfo, *metav1.ListOptions) (estimate.Source, error) {
	return estimate.FromStorage, nil
}

// sourceOf is the sourceFunc of the library's watch cache while it keeps up with etcd.
func sourceOf(info *apirequest.RequestInfo, options *metav1.ListOptions) (estimate.Source, error) {
	if info.Verb == "watch" {
		return estimate.FromCache, nil
	}
	source, err := delegator.ShouldDelegateListMeta(options, delegator.CacheWithoutSnapshots{})
	if source.ShouldDelegate {
		return estimate.FromStorage, err
	}
	return estimate.FromCache, err
}

// stored returns what is known about the stored objects of a type.
func (l *lists) stored(groupResource string) estimate.Stored {
	objects, err := l.objects(groupResource)
	switch {
	case errors.Is(err, fcrequest.ObjectCountNotFoundErr):
		return estimate.Stored{Unknown: true}
	case err != nil:
		return estimate.Stored{Stale: true}
	}
	stored := estimate.Stored{Objects: objects}
	if l.formula.BySize {
		stored.Size = l.sizes(groupResource)
	}
	return stored
}

// groupResource names a type as the StorageObjectCountTracker does.
func groupResource(info *apirequest.RequestInfo) string {
	if info.APIGroup == "" {
		return info.Resource
	}
	return info.Resource + "." + info.APIGroup
}
