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

// work estimates what the request will cost.
func (p *passage) work() seats.Work {
	switch {
	case p.info.Verb == "list" || p.info.Verb == "watch":
		return p.readWork()
	case estimate.IsWrite(&p.ticket.Attributes):
		return p.writeWork()
	default:
		return estimate.One()
	}
}

// writeWork estimates a write by those who will hear of it.
func (p *passage) writeWork() seats.Work {
	watchers := p.Watches.GetInterestedWatchCount(p.info)
	p.ticket.NoteWatchers(watchers)
	if !estimate.IsFannedOut(watchers) {
		return estimate.One()
	}
	return estimate.Write(watchers, p.ticket.MaxWidth())
}

// readWork estimates a list, or a watch, which may begin with one.
func (p *passage) readWork() seats.Work {
	// With one object's name, in the path or as a field selector, the storage
	// reads that object alone.
	if p.info.Name != "" {
		return estimate.One()
	}
	var options metav1.ListOptions
	if p.request.URL.RawQuery != "" {
		query := p.request.URL.Query()
		if err := metav1.Convert_url_Values_To_v1_ListOptions(&query, &options, nil); err != nil {
			// It will fail when the handler reads the options. Until then it
			// is as good as any, so that it gains nothing by failing.
			return estimate.Most(p.ticket.MaxWidth())
		}
	}
	if p.info.Verb == "watch" && !beginsWithState(&options) {
		return estimate.One()
	}
	return p.listWork(&options)
}

// beginsWithState tells whether a watch sends the present state before it sends
// changes. Unless the client says so, it does when there is no resourceVersion
// to begin at.
func beginsWithState(o *metav1.ListOptions) bool {
	if o.SendInitialEvents != nil {
		return *o.SendInitialEvents
	}
	return o.ResourceVersion == "" || o.ResourceVersion == "0"
}

// listWork estimates a list by the objects there are.
func (p *passage) listWork(options *metav1.ListOptions) seats.Work {
	stored, err := p.Objects(groupResource(p.info))
	switch {
	case errors.Is(err, fcrequest.ObjectCountNotFoundErr):
		// Another server has the objects, or nobody does. Both are cheap here.
		return estimate.One()
	case err != nil:
		// The count is stale: the storage does not answer. That is no time to
		// take chances.
		return estimate.Most(p.ticket.MaxWidth())
	}
	list := estimate.List{
		Stored:  stored,
		Limit:   options.Limit,
		Selects: options.FieldSelector != "" || options.LabelSelector != "",
		Cached:  true,
	}
	if p.info.Verb == "list" {
		source, err := delegator.ShouldDelegateListMeta(options, delegator.CacheWithoutSnapshots{})
		if err != nil {
			return estimate.Most(p.ticket.MaxWidth())
		}
		list.Cached = !source.ShouldDelegate
	}
	return list.Work(p.ticket.MaxWidth())
}

// groupResource names a type as those do who count the objects.
func groupResource(info *apirequest.RequestInfo) string {
	if info.APIGroup == "" {
		return info.Resource
	}
	return info.Resource + "." + info.APIGroup
}
