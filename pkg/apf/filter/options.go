package filter

import (
	"net/http"
	"time"

	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// maxWait bounds the time that any request may wait.
const maxWait = time.Minute

// Options are what the filter needs besides an engine. All may be left out.
type Options struct {
	// LongRunning tells which requests are not governed, unless they are
	// watches.
	LongRunning apirequest.LongRunningRequestCheck
	// WaitLimit is how long a request without a deadline may wait; a minute if
	// it is 0 or more than that. It should be a quarter of the time that
	// requests have otherwise.
	WaitLimit time.Duration
	// Objects returns how many objects of a type ("resource.group", or
	// "resource" of the core group) are stored, as Get of the library's
	// StorageObjectCountTracker does; from k8s.io/apiserver 0.34 on, that returns
	// statistics whose ObjectCount this is. Without it every list costs one seat.
	Objects func(groupResource string) (int64, error)
	// Watches knows who watches what; the filter tells it of each watch. It
	// makes its own if there is none.
	Watches flowcontrol.WatchTracker
	// Gauges count the requests by kind.
	Gauges KindGauges
}

// KindGauges count the requests that are waiting and executing by their kind.
// The times are those of the engine's clock.
type KindGauges interface {
	Waiting(kind stats.Kind, delta int, now time.Duration)
	Executing(kind stats.Kind, delta int, now time.Duration)
}

var _ KindGauges = (*stats.KindGauges)(nil)

// noGauges count nothing.
type noGauges struct{}

var _ KindGauges = noGauges{}

func (noGauges) Waiting(stats.Kind, int, time.Duration)   {}
func (noGauges) Executing(stats.Kind, int, time.Duration) {}

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
	if o.Watches == nil {
		o.Watches = flowcontrol.NewWatchTracker()
	}
	if o.Gauges == nil {
		o.Gauges = noGauges{}
	}
	return o
}
