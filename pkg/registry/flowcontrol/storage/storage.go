// Package storage implements the REST storage of a resource with a status: one
// store on etcd, served as the resource and as its status.
package storage

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/badrequest"
)

// SpecStrategy is the strategy of the resource.
type SpecStrategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
	rest.RESTDeleteStrategy
	rest.ResetFieldsStrategy
}

// StatusStrategy is the strategy of the status.
type StatusStrategy interface {
	rest.RESTUpdateStrategy
	rest.ResetFieldsStrategy
}

// Resource describes a resource to be stored.
type Resource struct {
	Plural, Singular schema.GroupResource
	New, NewList     func() runtime.Object
	Spec             SpecStrategy
	Status           StatusStrategy
	Table            rest.TableConvertor
}

// REST serves the resource.
type REST struct {
	*genericregistry.Store
}

var (
	_ rest.StandardStorage      = (*REST)(nil)
	_ rest.TableConvertor       = (*REST)(nil)
	_ rest.SingularNameProvider = (*REST)(nil)
)

// Open returns the storage of the resource and of its status.
func Open(resource Resource, options generic.RESTOptionsGetter) (*REST, *StatusREST, error) {
	store := &genericregistry.Store{
		NewFunc:                   resource.New,
		NewListFunc:               resource.NewList,
		DefaultQualifiedResource:  resource.Plural,
		SingularQualifiedResource: resource.Singular,
		CreateStrategy:            resource.Spec,
		UpdateStrategy:            resource.Spec,
		DeleteStrategy:            resource.Spec,
		ResetFieldsStrategy:       resource.Spec,
		TableConvertor:            resource.Table,
	}
	if err := store.CompleteWithOptions(&generic.StoreOptions{RESTOptions: options}); err != nil {
		return nil, nil, err
	}
	status := *store
	status.CreateStrategy = nil
	status.DeleteStrategy = nil
	status.UpdateStrategy = resource.Status
	status.ResetFieldsStrategy = resource.Status
	return &REST{Store: store}, &StatusREST{store: &status}, nil
}

// Create creates an object.
func (r *REST) Create(ctx context.Context, object runtime.Object, validation rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	created, err := r.Store.Create(ctx, object, validation, options)
	return created, badrequest.Create(err)
}

// Update updates an object. It creates the object if it does not exist and
// forceAllowCreate is set, as it is for apply.
func (r *REST) Update(ctx context.Context, name string, objectInfo rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc, forceAllowCreate bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	var old metav1.Object
	objectInfo = rest.WrapUpdatedObjectInfo(badrequest.Update(objectInfo), func(_ context.Context, updated, existing runtime.Object) (runtime.Object, error) {
		old = existing.(metav1.Object)
		return updated, nil
	})
	updated, created, err := r.Store.Update(ctx, name, objectInfo, createValidation, updateValidation, forceAllowCreate, options)
	if err == nil {
		warnOfDeletion(ctx, updated.(metav1.Object), old)
	}
	return updated, created, badrequest.WithoutGoSyntax(err)
}

// Get returns an object.
func (r *REST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	object, err := r.Store.Get(ctx, name, options)
	return object, badrequest.Version(err)
}

// List lists the objects that options select.
func (r *REST) List(ctx context.Context, options *metainternalversion.ListOptions) (runtime.Object, error) {
	list, err := r.Store.List(ctx, options)
	return list, r.futureVersionError(ctx, options, err)
}

// DeleteCollection deletes the objects that listOptions select.
func (r *REST) DeleteCollection(ctx context.Context, validation rest.ValidateObjectFunc, options *metav1.DeleteOptions, listOptions *metainternalversion.ListOptions) (runtime.Object, error) {
	deleted, err := r.Store.DeleteCollection(ctx, validation, options, listOptions)
	return deleted, r.futureVersionError(ctx, listOptions, err)
}

// futureVersionError returns the error of a list. A resource version from the
// future becomes 504, as it is without resourceVersionMatch=Exact; etcd's own error
// would be a 500.
func (r *REST) futureVersionError(ctx context.Context, options *metainternalversion.ListOptions, err error) error {
	if !errors.Is(err, rpctypes.ErrFutureRev) {
		return err
	}
	version := options.ResourceVersion
	if options.Continue != "" {
		_, revision, err := storage.DecodeContinue(options.Continue, "/")
		if err != nil {
			return err
		}
		version = strconv.FormatInt(revision, 10)
	}
	if err := r.awaitVersion(ctx, version); err != nil {
		return err
	}
	return apierrors.NewTimeoutError(fmt.Sprintf("resource version %s was reached only after the list had failed", version), 1)
}

// StatusREST serves the status of the resource.
type StatusREST struct {
	store *genericregistry.Store
}

var _ interface {
	rest.Storage
	rest.Getter
	rest.Patcher
	rest.TableConvertor
	rest.ResetFieldsStrategy
} = (*StatusREST)(nil)

// New returns an empty object.
func (r *StatusREST) New() runtime.Object { return r.store.New() }

// Destroy does nothing: REST owns the store.
func (r *StatusREST) Destroy() {}

// Get returns the object.
func (r *StatusREST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	object, err := r.store.Get(ctx, name, options)
	return object, badrequest.Version(err)
}

// Update updates the status of an existing object; it never creates one.
func (r *StatusREST) Update(ctx context.Context, name string, objectInfo rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	return r.store.Update(ctx, name, badrequest.Update(objectInfo), createValidation, updateValidation, false, options)
}

// GetResetFields returns the fields that a write of the status does not change.
func (r *StatusREST) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return r.store.GetResetFields()
}

// ConvertToTable returns the table of the object.
func (r *StatusREST) ConvertToTable(ctx context.Context, object, options runtime.Object) (*metav1.Table, error) {
	return r.store.ConvertToTable(ctx, object, options)
}
