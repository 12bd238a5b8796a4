package storage

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/klog/v2"
)

// Reads guards the lists of a server that bypass the watch cache. It is the collector of
// their metric. Create one with New.
type Reads struct {
	total *prometheus.CounterVec
	// logged is when they were logged last.
	logged atomic.Pointer[time.Time]
}

var _ prometheus.Collector = (*Reads)(nil)

// The values of the label result.
const (
	read     = "read"     // it read from etcd, for itself and for others
	shared   = "shared"   // it got the result of another
	rejected = "rejected" // it got no seats
	left     = "left"     // its client left, or its deadline passed, while it waited
)

// New returns a Reads.
func New() *Reads {
	return &Reads{total: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "apf_storage_lists_total",
		Help: "[ALPHA] Number of lists that bypassed the watch cache because it lagged behind etcd, was not filled or is off, " +
			"by result: read from etcd, shared the read of an identical list, rejected for want of seats, or left while waiting",
	}, []string{"resource", "result"})}
}

// Describe implements prometheus.Collector.
func (r *Reads) Describe(descs chan<- *prometheus.Desc) { r.total.Describe(descs) }

// Collect implements prometheus.Collector.
func (r *Reads) Collect(metrics chan<- prometheus.Metric) { r.total.Collect(metrics) }

// Guard returns a store whose lists ask for seats and share reads, see the package comment. It
// is for what reads from the store instead of the watch cache, and not for what fills the
// cache. newList returns an empty list of the resource, of the type that GetList is called with.
func (r *Reads) Guard(store storage.Interface, resource schema.GroupResource, newList func() runtime.Object) storage.Interface {
	return &guarded{Interface: store, reads: r, resource: resource, newList: newList, slots: map[identity]*slot{}}
}

// logInterval is the least time between two log lines.
const logInterval = time.Minute

// count counts a list that bypassed the watch cache.
func (r *Reads) count(resource schema.GroupResource, result string) {
	r.total.WithLabelValues(resource.String(), result).Inc()
	last, now := r.logged.Load(), time.Now()
	if (last == nil || now.Sub(*last) >= logInterval) && r.logged.CompareAndSwap(last, &now) {
		klog.InfoS("Lists read from etcd because the watch cache cannot serve them, logged at most once a minute", "resource", resource, "result", result)
	}
}
