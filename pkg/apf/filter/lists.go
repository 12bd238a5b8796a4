package filter

import (
	"errors"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage/cacher/delegator"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// lists estimates lists, and watches, which may begin with one.
type lists struct {
	objects     func(groupResource string) (int64, error)
	sizes       func(groupResource string) int64
	estimator   estimate.Estimator
	learner     *estimate.Learner // nil if costs are not learned
	countsReads bool
	now         func() time.Duration // of the learner
}

func newLists(o Options, now func() time.Duration) *lists {
	return &lists{
		objects: o.Objects, sizes: o.Sizes, estimator: estimate.Own(o.ListCost),
		learner: o.Learner, countsReads: o.CountsReads, now: now,
	}
}

// work estimates a list or a watch on a level whose bound is maxWidth seats; 0 means none.
// If the list is to be measured, it returns that too.
func (l *lists) work(r *http.Request, info *apirequest.RequestInfo, maxWidth int) (seats.Work, *measuredList) {
	// The storage reads only the object of that name. RequestInfo takes the name
	// from the path or from a field selector.
	if info.Name != "" && !l.estimator.BySize {
		return estimate.One(), nil
	}
	var options metav1.ListOptions
	if r.URL.RawQuery != "" {
		query := r.URL.Query()
		if err := metav1.Convert_url_Values_To_v1_ListOptions(&query, &options, nil); err != nil {
			// The handler will reject it. The largest estimate keeps invalid options
			// from being cheaper than valid ones.
			return l.estimator.Most(maxWidth), nil
		}
	}
	read := estimate.Read{
		Watch: info.Verb == "watch", Named: info.Name != "",
		Selects: options.FieldSelector != "" || options.LabelSelector != "",
		Whole:   l.learner != nil && info.Verb == "list" && isEncodedWhole(r),
		Limit:   options.Limit, ResourceVersion: options.ResourceVersion,
		SendInitialEvents: options.SendInitialEvents,
	}
	if !l.estimator.CountsStored(read) {
		return estimate.One(), nil
	}
	stored := l.stored(groupResource(info))
	if stored.Unknown {
		// This server does not store the type: the list is empty or proxied.
		return estimate.One(), nil
	}
	cached, err := servedByCache(info, &options)
	if err != nil {
		return l.estimator.Most(maxWidth), nil
	}
	cost := l.estimator.ReadFrom(read, cached, stored, maxWidth)
	if l.learner == nil {
		return cost.Work, nil
	}
	list := &measuredList{
		lists: l, prior: cost.Bytes, kind: kindOf(info, &options, read.Whole, cached),
		resource: estimate.StoredType{Group: info.APIGroup, Resource: info.Resource},
	}
	bytes := list.estimate()
	if read.Watch {
		list = nil // its response does not say where the list ends
	}
	return l.estimator.OfBytes(bytes, maxWidth), list
}

// servedByCache reports whether the watch cache serves a list, or the list that a watch
// begins with.
func servedByCache(info *apirequest.RequestInfo, options *metav1.ListOptions) (bool, error) {
	if info.Verb == "watch" {
		return true, nil
	}
	source, err := delegator.ShouldDelegateListMeta(options, delegator.CacheWithoutSnapshots{})
	return !source.ShouldDelegate, err
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
	if l.estimator.BySize {
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
