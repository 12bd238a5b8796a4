package explain

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// Facts are what is known about resources.
type Facts map[schema.GroupResource]replica.Fact

// fact returns what is known about a resource: what Input.Facts say, otherwise what the
// API servers tell.
func (e *Explainer) fact(resource schema.GroupResource) replica.Fact {
	if fact, known := e.input.Facts[resource]; known {
		return fact
	}
	return replica.FactOf(e.input.Replicas, resource)
}
