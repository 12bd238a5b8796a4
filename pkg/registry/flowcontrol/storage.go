package flowcontrol

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/structuredmerge"
)

// objects serves the objects of a resource. It warns of what package lint finds about a
// write that has succeeded.
type objects[T object] struct {
	*genericregistry.Store
	groupKind schema.GroupKind
	advice    advice[T]
	// stored returns the stored configuration, with all that this server has written.
	stored func() lint.Reader
}

var (
	_ rest.StandardStorage      = (*objects[object])(nil)
	_ rest.TableConvertor       = (*objects[object])(nil)
	_ rest.SingularNameProvider = (*objects[object])(nil)
)

// open returns the storages of a resource and of its status, which share one store.
func open[T object](of kind[T], typer runtime.ObjectTyper, options generic.RESTOptionsGetter, garbageCollection rest.GarbageCollectionPolicy, stored func() lint.Reader) (*objects[T], *statuses, error) {
	kinds, _, err := typer.ObjectKinds(of.newObject())
	if err != nil {
		return nil, nil, err
	}
	forSpec, forStatus := newStrategies(of, typer, garbageCollection)
	store := &genericregistry.Store{
		NewFunc:                   func() runtime.Object { return of.newObject() },
		NewListFunc:               of.newList,
		DefaultQualifiedResource:  flowcontrol.Resource(of.plural),
		SingularQualifiedResource: flowcontrol.Resource(of.singular),
		CreateStrategy:            forSpec,
		UpdateStrategy:            forSpec,
		DeleteStrategy:            forSpec,
		ResetFieldsStrategy:       forSpec,
		TableConvertor:            of.table,
	}
	if err := store.CompleteWithOptions(&generic.StoreOptions{RESTOptions: options}); err != nil {
		return nil, nil, err
	}
	status := *store
	status.CreateStrategy = nil
	status.DeleteStrategy = nil
	status.UpdateStrategy = forStatus
	status.ResetFieldsStrategy = forStatus
	return &objects[T]{Store: store, groupKind: kinds[0].GroupKind(), advice: of.advice, stored: stored}, &statuses{store: &status}, nil
}

// Create creates an object.
func (r *objects[T]) Create(ctx context.Context, object runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	before := r.stored()
	created, err := r.Store.Create(ctx, object, validate, options)
	if err == nil {
		var none T
		advise(ctx, func(ctx context.Context) []lint.Finding { return r.advice.written(ctx, created.(T), none, before) })
	}
	return created, err
}

// Update updates an object. It creates the object if it does not exist and
// forceAllowCreate is set, as it is for apply.
func (r *objects[T]) Update(ctx context.Context, name string, objectInfo rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc, forceAllowCreate bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	before := r.stored()
	var old T
	objectInfo = rest.WrapUpdatedObjectInfo(objectInfo, func(_ context.Context, updated, existing runtime.Object) (runtime.Object, error) {
		old = existing.(T)
		return updated, r.rejectMetadata(metadata(updated.(T)))
	})
	updated, created, err := r.Store.Update(ctx, name, objectInfo, createValidation, updateValidation, forceAllowCreate, options)
	if err != nil {
		return updated, created, ownersInJSON(err)
	}
	if created {
		var none T
		old = none
	} else {
		warnOfDeletion(ctx, metadata(updated.(T)), metadata(old))
	}
	advise(ctx, func(ctx context.Context) []lint.Finding { return r.advice.written(ctx, updated.(T), old, before) })
	return updated, created, nil
}

// Delete deletes an object.
func (r *objects[T]) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions) (runtime.Object, bool, error) {
	deleted, immediate, err := r.Store.Delete(ctx, name, validate, options)
	if err == nil {
		advise(ctx, func(ctx context.Context) []lint.Finding { return r.advice.deleted(ctx, name, r.stored()) })
	}
	return deleted, immediate, err
}

// statuses serves the status of a resource.
type statuses struct {
	store *genericregistry.Store
}

var _ interface {
	rest.Storage
	rest.Getter
	rest.Patcher
	rest.TableConvertor
	rest.ResetFieldsStrategy
} = (*statuses)(nil)

// New returns an empty object.
func (r *statuses) New() runtime.Object { return r.store.New() }

// Destroy does nothing: objects owns the store.
func (r *statuses) Destroy() {}

// Get returns the object.
func (r *statuses) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return r.store.Get(ctx, name, options)
}

// Update updates the status of an existing object; it never creates one.
func (r *statuses) Update(ctx context.Context, name string, objectInfo rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	return r.store.Update(ctx, name, objectInfo, createValidation, updateValidation, false, options)
}

// GetResetFields returns the fields that a write of the status does not change.
func (r *statuses) GetResetFields() map[structuredmerge.APIVersion]*structuredmerge.Set {
	return r.store.GetResetFields()
}

// ConvertToTable returns the table of the object.
func (r *statuses) ConvertToTable(ctx context.Context, object, options runtime.Object) (*metav1.Table, error) {
	return r.store.ConvertToTable(ctx, object, options)
}
