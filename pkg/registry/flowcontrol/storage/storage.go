// Package storage opens the storages of a resource with a status: one store on
// etcd, served twice, once for the object and once for its status.
package storage

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/badrequest"
)

// SpecStrategy governs writes of the whole object.
type SpecStrategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
	rest.RESTDeleteStrategy
	rest.ResetFieldsStrategy
}

// StatusStrategy governs writes of the status.
type StatusStrategy interface {
	rest.RESTUpdateStrategy
	rest.ResetFieldsStrategy
}

// Resource is what there is to know of a resource to store it.
type Resource struct {
	Plural, Singular schema.GroupResource
	New, NewList     func() runtime.Object
	Spec             SpecStrategy
	Status           StatusStrategy
	Table            rest.TableConvertor
}

// REST serves the objects.
type REST struct {
	*genericregistry.Store
}

var (
	_ rest.StandardStorage      = (*REST)(nil)
	_ rest.TableConvertor       = (*REST)(nil)
	_ rest.SingularNameProvider = (*REST)(nil)
)

// Open opens the storages of the objects and of their status.
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

// Create writes a new object.
func (r *REST) Create(ctx context.Context, object runtime.Object, validation rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	created, err := r.Store.Create(ctx, object, validation, options)
	return created, badrequest.Create(err)
}

// Update writes an object, and creates it if it is absent and forceAllowCreate
// is set, as it is for apply.
func (r *REST) Update(ctx context.Context, name string, objectInfo rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc, forceAllowCreate bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	return r.Store.Update(ctx, name, badrequest.Update(objectInfo), createValidation, updateValidation, forceAllowCreate, options)
}
