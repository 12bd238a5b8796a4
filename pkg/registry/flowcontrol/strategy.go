package flowcontrol

import (
	"context"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/structuredmerge"
)

// specStrategy is the strategy of a resource: it is cluster-scoped and created only by POST
// or apply, a change of the spec increments metadata.generation, and a write does not change
// the status.
type specStrategy[T object] struct {
	runtime.ObjectTyper
	names.NameGenerator
	kind[T]
	// garbageCollection is rest.Unsupported if a deletion sets no finalizer of the garbage
	// collector, and removes the ones that an object has.
	garbageCollection rest.GarbageCollectionPolicy
}

// statusStrategy is the strategy of /status, whose writes change only the status.
type statusStrategy[T object] struct{ specStrategy[T] }

var _ interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
	rest.GarbageCollectionDeleteStrategy
	rest.ResetFieldsStrategy
} = specStrategy[object]{}

func newStrategies[T object](of kind[T], typer runtime.ObjectTyper, garbageCollection rest.GarbageCollectionPolicy) (specStrategy[T], statusStrategy[T]) {
	forSpec := specStrategy[T]{ObjectTyper: typer, NameGenerator: names.SimpleNameGenerator, kind: of, garbageCollection: garbageCollection}
	return forSpec, statusStrategy[T]{forSpec}
}

// DefaultGarbageCollectionPolicy implements rest.GarbageCollectionDeleteStrategy.
func (s specStrategy[T]) DefaultGarbageCollectionPolicy(context.Context) rest.GarbageCollectionPolicy {
	return s.garbageCollection
}

// NamespaceScoped returns false.
func (specStrategy[T]) NamespaceScoped() bool { return false }

// Canonicalize does nothing.
func (specStrategy[T]) Canonicalize(runtime.Object) {}

// WarningsOnCreate returns no warnings: a strategy is called on each attempt of a write, and the
// first may start from an outdated object. The storage warns.
func (specStrategy[T]) WarningsOnCreate(context.Context, runtime.Object) []string { return nil }

// WarningsOnUpdate returns no warnings, as WarningsOnCreate.
func (specStrategy[T]) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}

// PrepareForCreate removes the status.
func (s specStrategy[T]) PrepareForCreate(_ context.Context, created runtime.Object) {
	s.copyStatus(created.(T), s.newObject())
	metadata(created.(T)).Generation = 1
}

// PrepareForUpdate keeps the status, and counts changes of the spec.
func (s specStrategy[T]) PrepareForUpdate(_ context.Context, updated, old runtime.Object) {
	s.copyStatus(updated.(T), old.(T))
	if !apiequality.Semantic.DeepEqual(s.spec(updated.(T)), s.spec(old.(T))) {
		metadata(updated.(T)).Generation = metadata(old.(T)).Generation + 1
	}
}

// Validate validates a new object.
func (s specStrategy[T]) Validate(_ context.Context, created runtime.Object) field.ErrorList {
	return s.validate(created.(T))
}

// ValidateUpdate validates an update.
func (s specStrategy[T]) ValidateUpdate(_ context.Context, updated, _ runtime.Object) field.ErrorList {
	return s.validate(updated.(T))
}

// GetResetFields implements rest.ResetFieldsStrategy.
func (specStrategy[T]) GetResetFields() map[structuredmerge.APIVersion]*structuredmerge.Set {
	return resetFields("status")
}

// PrepareForUpdate keeps the spec and the metadata, except for the managed fields, which
// record the manager of the status.
func (s statusStrategy[T]) PrepareForUpdate(_ context.Context, updated, old runtime.Object) {
	s.copySpec(updated.(T), old.(T))
	kept := *metadata(old.(T))
	kept.ManagedFields = metadata(updated.(T)).ManagedFields
	*metadata(updated.(T)) = kept
}

// ValidateUpdate validates an update of the status.
func (s statusStrategy[T]) ValidateUpdate(_ context.Context, updated, _ runtime.Object) field.ErrorList {
	return s.validateStatus(updated.(T))
}

// GetResetFields implements rest.ResetFieldsStrategy.
func (statusStrategy[T]) GetResetFields() map[structuredmerge.APIVersion]*structuredmerge.Set {
	return resetFields("spec", "metadata")
}

// resetFields returns the top-level fields of those names, in every version, as
// fields that a write does not own.
func resetFields(names ...string) map[structuredmerge.APIVersion]*structuredmerge.Set {
	fields := structuredmerge.NewSet()
	for _, name := range names {
		fields.Insert(structuredmerge.MakePathOrDie(name))
	}
	return map[structuredmerge.APIVersion]*structuredmerge.Set{
		structuredmerge.APIVersion(flowcontrolv1.SchemeGroupVersion.String()):      fields,
		structuredmerge.APIVersion(flowcontrolv1beta3.SchemeGroupVersion.String()): fields,
	}
}
