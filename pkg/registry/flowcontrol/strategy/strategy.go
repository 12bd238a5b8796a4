// Package strategy holds what the strategies of both resources have in common:
// they are cluster-scoped, are created by POST or by apply alone, keep spec and
// status apart, and count changes of the spec in metadata.generation.
package strategy

import (
	"context"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
)

// ClusterScoped is the part of a strategy that does not depend on the kind.
type ClusterScoped struct {
	runtime.ObjectTyper
	names.NameGenerator
}

// New returns the common part for objects of the types that typer knows.
func New(typer runtime.ObjectTyper) ClusterScoped {
	return ClusterScoped{ObjectTyper: typer, NameGenerator: names.SimpleNameGenerator}
}

// NamespaceScoped is false: flow control concerns the whole server.
func (ClusterScoped) NamespaceScoped() bool { return false }

// AllowCreateOnUpdate is false: a PUT does not create.
func (ClusterScoped) AllowCreateOnUpdate() bool { return false }

// AllowUnconditionalUpdate is true: an update may leave resourceVersion out.
func (ClusterScoped) AllowUnconditionalUpdate() bool { return true }

// Canonicalize has nothing to bring in order.
func (ClusterScoped) Canonicalize(runtime.Object) {}

// WarningsOnCreate has nothing to say.
func (ClusterScoped) WarningsOnCreate(context.Context, runtime.Object) []string { return nil }

// WarningsOnUpdate has nothing to say.
func (ClusterScoped) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}

// CountSpecChange raises the generation of updated if its spec is not that of
// old.
func CountSpecChange(updated, old *metav1.ObjectMeta, updatedSpec, oldSpec any) {
	if !apiequality.Semantic.DeepEqual(updatedSpec, oldSpec) {
		updated.Generation = old.Generation + 1
	}
}

// KeepMetadata gives updated the metadata of old, its managed fields excepted:
// these record who wrote the status.
func KeepMetadata(updated, old *metav1.ObjectMeta) {
	managedFields := updated.ManagedFields
	*updated = *old
	updated.ManagedFields = managedFields
}

// ResetFields tells server-side apply that writes do not own the fields of the
// given top-level names, in any version.
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

// RequestVersion is the group and version in which the request of ctx speaks;
// empty outside a request.
func RequestVersion(ctx context.Context) schema.GroupVersion {
	if info, ok := genericapirequest.RequestInfoFrom(ctx); ok {
		return schema.GroupVersion{Group: info.APIGroup, Version: info.APIVersion}
	}
	return schema.GroupVersion{}
}
