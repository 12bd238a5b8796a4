package bootstrap

import (
	"strconv"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// object is a pointer to an object of one of the two kinds.
type object[T any] interface {
	metav1.Object
	DeepCopy() T
}

// role is the reason why an object is built in.
type role string

const (
	// mandatory objects are enforced even if they are not stored.
	mandatory role = "mandatory"
	// suggested objects are defaults that users may take over.
	suggested role = "suggested"
)

// revision is what a stored built-in object should be.
type revision[T any] struct {
	object T
	// restored means that the spec differs from the stored one.
	restored bool
	// annotated means that the annotation differs from the stored one.
	annotated bool
	// serverOwned means that the server owns the spec.
	serverOwned bool
}

// needed reports whether there is anything to write.
func (r revision[T]) needed() bool { return r.restored || r.annotated }

// revise decides what a stored built-in object should be. restore copies the spec
// of the built-in object, which has been defaulted, into an object.
func revise[T object[T]](role role, stored, builtIn T, restore func(object, builtIn T)) revision[T] {
	r := revision[T]{object: stored.DeepCopy(), serverOwned: role == mandatory || lint.ServerOwns(stored)}
	if r.serverOwned {
		restore(r.object, builtIn)
		r.restored = !equality.Semantic.DeepEqual(stored, r.object)
	}
	r.annotated = annotate(r.object, r.serverOwned)
	return r
}

func restoreFlowSchema(schema, builtIn *flowcontrolv1.FlowSchema) {
	schema.Spec = *builtIn.Spec.DeepCopy()
}

// restorePriorityLevel keeps spec.exempt of the level exempt, which users may set.
func restorePriorityLevel(level, builtIn *flowcontrolv1.PriorityLevelConfiguration) {
	exempt := level.Spec.Exempt
	level.Spec = *builtIn.Spec.DeepCopy()
	if level.Name == flowcontrolv1.PriorityLevelConfigurationNameExempt && exempt != nil {
		level.Spec.Exempt = exempt
	}
}

// annotate sets the autoupdate-spec annotation, in the object's own map, and
// reports whether it had another value.
func annotate(object metav1.Object, autoUpdate bool) bool {
	if value, ok := lint.AutoUpdate(object); ok && value == autoUpdate {
		return false
	}
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[flowcontrolv1.AutoUpdateAnnotationKey] = strconv.FormatBool(autoUpdate)
	object.SetAnnotations(annotations)
	return true
}
