package replica

import (
	"math"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

// Fact is what API servers know about a resource.
type Fact struct {
	// Objects is the number of stored objects in all namespaces. It is negative if it
	// is not known.
	Objects int64
	// Bytes is their size; 0 if it is not known.
	Bytes int64
	// Watchers is the number of watches; negative if it is not known. Watches of one namespace or
	// one name are included, so fewer may be notified.
	Watchers int
	// Absent reports whether the API server does not store the resource, because
	// another server does or the resource does not exist.
	Absent bool
}

// FactOf returns what API servers tell of a resource. The one that tells most counts: all store the
// same objects, some more recently than others, and a write reaches the watchers of the one that it is
// sent to.
func FactOf(replicas []Replica, resource schema.GroupResource) Fact {
	fact := Fact{Objects: -1, Watchers: -1}
	told := false
	for i := range replicas {
		m := &replicas[i].Metrics
		told = told || len(m.Objects) > 0
		if objects, stored := m.Objects[resource]; stored {
			fact.Objects, fact.Bytes = max(fact.Objects, objects), max(fact.Bytes, m.Bytes[resource])
		}
		if len(m.Watches) > 0 {
			fact.Watchers = max(fact.Watchers, int(m.Watches[resource]))
		}
	}
	fact.Absent = told && fact.Objects < 0
	return fact
}

// Size returns the average size of an object in bytes; 0 if it is not known.
func (f Fact) Size() int64 {
	if f.Objects <= 0 {
		return 0
	}
	return f.Bytes / f.Objects
}

// Suffices reports whether enough is known for an estimate. kube-apiserver reports the size of the
// objects if it knows it.
func (f Fact) Suffices(formula estimate.Formula) bool {
	return f.Absent || f.Objects == 0 || f.Objects > 0 && (formula != estimate.Own().Formula() || f.Size() > 0)
}

// Read returns the cost of a list or a watch on a level with a bound, and the most seats that it may
// take. If these are more, the cost is unknown.
func (f Fact) Read(estimator estimate.Estimator, read estimate.Read, bound int) (cost estimate.Cost, atMost int) {
	cost = estimator.Read(read, estimate.Stored{Objects: max(f.Objects, 0), Size: f.Size(), Unknown: f.Absent}, bound)
	if !cost.AsList || f.Suffices(estimator.Formula()) {
		return cost, cost.Work.Initial
	}
	cost.Work = estimate.One()
	return cost, estimator.Read(read, estimate.Stored{Objects: math.MaxInt32}, bound).Work.Initial
}
