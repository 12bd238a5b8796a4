package filter

import (
	"context"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

// maxWait is the longest time that a request may wait.
const maxWait = time.Minute

// Options configures the filter. Every field is optional.
type Options struct {
	// LongRunning reports whether a request is long-running. Such requests bypass
	// the filter, except watches.
	LongRunning apirequest.LongRunningRequestCheck
	// WaitLimit is how long a request without a deadline may wait; 0, or more than
	// a minute, means a minute. It should be a quarter of the request timeout.
	WaitLimit time.Duration
	// Objects returns how many objects of a type ("resource.group", or "resource"
	// for the core group) are stored: Get of the StorageObjectCountTracker of
	// k8s.io/apiserver, or, since 0.34, the ObjectCount of the statistics that Get
	// returns. Without it every list is estimated at one seat.
	Objects func(groupResource string) (int64, error)
	// ListCost names the estimator of lists. The default is CostByCount.
	ListCost estimate.ListCost
	// Sizes returns the average size of the stored objects of a type in bytes, for
	// CostBySize and CostLearned: since 0.34 the EstimatedAverageObjectSizeBytes of the
	// statistics of the StorageObjectCountTracker. Not positive means that it is not known.
	// Then it counts as 1,500,000. By default no size is known.
	Sizes func(groupResource string) int64
	// History remembers what lists took, for CostLearned; otherwise it is not used. The default is one
	// of the filter's own. Its clock is the engine's.
	History *estimate.History
	// CountsReads reports whether the storage calls CountRead, for CostLearned. Without it
	// what a list reads from etcd is not known if it has a selector. Then its estimate is
	// only raised by what is learned.
	CountsReads bool
	// Watches counts the watchers of an object. The filter registers each watch with
	// it. The default is a WatchTracker of the filter's own.
	Watches flowcontrol.WatchTracker
	// Annotations says which requests are annotated in their audit events. The default
	// is none. The filter must come after WithAudit in the handler chain.
	Annotations Annotations
	// ExemptLimit bounds the requests of exempt priority levels. By default nothing does. A
	// rejection is counted, remembered and annotated as one with the reason concurrency-limit.
	ExemptLimit ExemptLimit
	// Own reports whether a request is the server's own. On an exempt level such a request
	// takes no seat, so that what a server asks of itself does not move the limits of other
	// levels. By default none is.
	Own func(requester user.Info) bool
	// Explain reports whether a user may know why a request of theirs was rejected.
	// Then the response is a Status in the format that the client accepts, whose
	// details name the flow schema, the priority level and the reason. Explain is
	// called for each rejected request, so it must neither wait nor cost much. By
	// default nobody may know.
	Explain func(ctx context.Context, requester user.Info) bool
	// Serializer encodes the Status. Without it, Explain is not called.
	Serializer runtime.NegotiatedSerializer
}

func (o Options) complete() Options {
	if o.LongRunning == nil {
		o.LongRunning = func(_ *http.Request, _ *apirequest.RequestInfo) bool { return false }
	}
	if o.WaitLimit <= 0 {
		o.WaitLimit = maxWait
	}
	if o.Objects == nil {
		o.Objects = func(string) (int64, error) { return 0, fcrequest.ObjectCountNotFoundErr }
	}
	if o.Sizes == nil {
		o.Sizes = func(string) int64 { return 0 }
	}
	switch {
	case o.ListCost != estimate.CostLearned:
		o.History = nil
	case o.History == nil:
		o.History = estimate.NewHistory()
	}
	if o.Watches == nil {
		o.Watches = flowcontrol.NewWatchTracker()
	}
	if o.Own == nil {
		o.Own = func(user.Info) bool { return false }
	}
	return o
}
