package explain

import "k8s.io/apimachinery/pkg/runtime/schema"

// fact returns what is known about a resource.
func (e *Explainer) fact(resource schema.GroupResource) Fact {
	if fact, known := e.input.Facts[resource]; known {
		return fact
	}
	return Fact{Objects: -1, Watchers: -1}
}
