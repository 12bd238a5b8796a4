package bootstrap

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// object is a pointer to an object of one of the two kinds.
type object[T any] interface {
	metav1.Object
	DeepCopy() T
}

// revision is what a stored built-in object should be.
type revision[T any] struct {
	object T
	// restored: the spec is not what is stored.
	restored bool
	// annotated: the annotation is not what is stored.
	annotated bool
	// owned: the server owns the spec.
	owned bool
}

// needed tells whether there is anything to write.
func (r revision[T]) needed() bool { return r.restored || r.annotated }

// revise decides what becomes of a stored built-in object. restore gives an
// object the spec of the built-in one, whose defaults are filled in.
func revise[T object[T]](role role, stored, builtIn T, restore func(object, builtIn T)) revision[T] {
	r := revision[T]{object: stored.DeepCopy(), owned: serverOwns(role, stored)}
	if r.owned {
		restore(r.object, builtIn)
		r.restored = !equality.Semantic.DeepEqual(stored, r.object)
	}
	r.annotated = annotate(r.object, r.owned)
	return r
}

func restoreFlowSchema(schema, builtIn *flowcontrolv1.FlowSchema) {
	schema.Spec = *builtIn.Spec.DeepCopy()
}

// restorePriorityLevel leaves the level exempt what it gets and what it lends:
// both are the user's to say.
func restorePriorityLevel(level, builtIn *flowcontrolv1.PriorityLevelConfiguration) {
	said := level.Spec.Exempt
	level.Spec = *builtIn.Spec.DeepCopy()
	if level.Name == flowcontrolv1.PriorityLevelConfigurationNameExempt && said != nil {
		level.Spec.Exempt = said
	}
}
