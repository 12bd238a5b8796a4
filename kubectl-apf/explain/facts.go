package explain

import "k8s.io/apimachinery/pkg/runtime/schema"

// fact returns what is known about a resource: what Input.Facts say, otherwise what the
// API servers tell. The one that tells most counts: all store the same objects, some
// more recently than others, and a write reaches the watchers of the one that it is
// sent to.
func (e *Explainer) fact(resource schema.GroupResource) Fact {
	if fact, known := e.input.Facts[resource]; known {
		return fact
	}
	fact := Fact{Objects: -1, Watchers: -1}
	told := false
	for i := range e.input.Replicas {
		m := &e.input.Replicas[i].Metrics
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
