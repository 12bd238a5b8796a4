// Package strategy holds the common part of both strategies: the resources are
// cluster-scoped, created only by POST or apply, and separate spec and status; a
// change of the spec increments metadata.generation.
package strategy

import (
	"context"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
)

// ClusterScoped is the part of a strategy that is independent of the kind.
type ClusterScoped struct {
	runtime.ObjectTyper
	names.NameGenerator
	garbageCollection rest.GarbageCollectionPolicy
}

var _ rest.GarbageCollectionDeleteStrategy = ClusterScoped{}

// New returns the common part for the types of typer. With the policy
// rest.Unsupported a deletion sets no finalizer of the garbage collector and removes
// those that an object has.
func New(typer runtime.ObjectTyper, garbageCollection rest.GarbageCollectionPolicy) ClusterScoped {
	return ClusterScoped{ObjectTyper: typer, NameGenerator: names.SimpleNameGenerator, garbageCollection: garbageCollection}
}

// DefaultGarbageCollectionPolicy returns the policy of New.
func (s ClusterScoped) DefaultGarbageCollectionPolicy(context.Context) rest.GarbageCollectionPolicy {
	return s.garbageCollection
}

// NamespaceScoped returns false.
func (ClusterScoped) NamespaceScoped() bool { return false }

// AllowCreateOnUpdate returns false: a PUT does not create.
func (ClusterScoped) AllowCreateOnUpdate() bool { return false }

// AllowUnconditionalUpdate returns true: an update may omit the resourceVersion.
func (ClusterScoped) AllowUnconditionalUpdate() bool { return true }

// Canonicalize does nothing.
func (ClusterScoped) Canonicalize(runtime.Object) {}

// WarningsOnCreate returns no warnings.
func (ClusterScoped) WarningsOnCreate(context.Context, runtime.Object) []string { return nil }

// WarningsOnUpdate returns no warnings.
func (ClusterScoped) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}

// IncrementGeneration increments the generation of updated if its spec differs from
// that of old.
func IncrementGeneration(updated, old *metav1.ObjectMeta, updatedSpec, oldSpec any) {
	if !apiequality.Semantic.DeepEqual(updatedSpec, oldSpec) {
		updated.Generation = old.Generation + 1
	}
}

// KeepMetadata sets the metadata of updated to that of old, except for the managed
// fields, which record the manager of the status.
func KeepMetadata(updated, old *metav1.ObjectMeta) {
	managedFields := updated.ManagedFields
	*updated = *old
	updated.ManagedFields = managedFields
}

// ResetFields returns the top-level fields of those names, in every version, as
// fields that a write does not own.
func ResetFields(names ...string) map[fieldpath.APIVersion]*fieldpath.Set {
	fields := fieldpath.NewSet()
	for _, name := range names {
		fields.Insert(fieldpath.MakePathOrDie(name))
	}
	return map[fieldpath.APIVersion]*fieldpath.Set{
		fieldpath.APIVersion(flowcontrolv1.SchemeGroupVersion.String()):      fields,
		fieldpath.APIVersion(flowcontrolv1beta3.SchemeGroupVersion.String()): fields,
	}
}
