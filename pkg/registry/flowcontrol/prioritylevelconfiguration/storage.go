package prioritylevelconfiguration

import (
	"context"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/clientfault"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/strategy"
)

// REST serves PriorityLevelConfigurations from etcd.
type REST struct {
	*genericregistry.Store
}

// StatusREST serves the status of PriorityLevelConfigurations.
type StatusREST struct {
	store *genericregistry.Store
}

var (
	_ rest.StandardStorage      = (*REST)(nil)
	_ rest.TableConvertor       = (*REST)(nil)
	_ rest.SingularNameProvider = (*REST)(nil)

	_ interface {
		rest.Storage
		rest.Getter
		rest.Patcher
		rest.TableConvertor
		rest.ResetFieldsStrategy
	} = (*StatusREST)(nil)
)

// NewREST opens the storage of PriorityLevelConfigurations and of their status. The clock is
// that of the age column.
func NewREST(scheme *runtime.Scheme, options generic.RESTOptionsGetter, clock clock.PassiveClock) (*REST, *StatusREST, error) {
	forSpec := specStrategy{ClusterScoped: strategy.New(scheme)}
	forStatus := statusStrategy{specStrategy: forSpec}
	store := &genericregistry.Store{
		NewFunc:                   func() runtime.Object { return &flowcontrol.PriorityLevelConfiguration{} },
		NewListFunc:               func() runtime.Object { return &flowcontrol.PriorityLevelConfigurationList{} },
		DefaultQualifiedResource:  flowcontrol.Resource("prioritylevelconfigurations"),
		SingularQualifiedResource: flowcontrol.Resource("prioritylevelconfiguration"),
		CreateStrategy:            forSpec,
		UpdateStrategy:            forSpec,
		DeleteStrategy:            forSpec,
		ResetFieldsStrategy:       forSpec,
		TableConvertor:            newTable(clock),
	}
	if err := store.CompleteWithOptions(&generic.StoreOptions{RESTOptions: options}); err != nil {
		return nil, nil, err
	}
	statusStore := *store
	statusStore.CreateStrategy = nil
	statusStore.DeleteStrategy = nil
	statusStore.UpdateStrategy = forStatus
	statusStore.ResetFieldsStrategy = forStatus
	return &REST{Store: store}, &StatusREST{store: &statusStore}, nil
}

// Watch tells of changes.
func (r *REST) Watch(ctx context.Context, options *metainternalversion.ListOptions) (watch.Interface, error) {
	watcher, err := r.Store.Watch(ctx, options)
	return watcher, clientfault.Watch(err)
}

// Update writes an object, and creates it if it is absent and forceAllowCreate
// is set, as it is for apply.
func (r *REST) Update(ctx context.Context, name string, objectInfo rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc, forceAllowCreate bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	return r.Store.Update(ctx, name, clientfault.Update(objectInfo), createValidation, updateValidation, forceAllowCreate, options)
}

// New returns an empty PriorityLevelConfiguration.
func (r *StatusREST) New() runtime.Object { return &flowcontrol.PriorityLevelConfiguration{} }

// Destroy has nothing to close: REST owns the store.
func (r *StatusREST) Destroy() {}

// Get returns the whole object.
func (r *StatusREST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return r.store.Get(ctx, name, options)
}

// Update writes the status and never creates: a status belongs to an object.
func (r *StatusREST) Update(ctx context.Context, name string, objectInfo rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	return r.store.Update(ctx, name, clientfault.Update(objectInfo), createValidation, updateValidation, false, options)
}

// GetResetFields names the fields that a write of the status leaves alone.
func (r *StatusREST) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return r.store.GetResetFields()
}

// ConvertToTable prints the whole object.
func (r *StatusREST) ConvertToTable(ctx context.Context, object, options runtime.Object) (*metav1.Table, error) {
	return r.store.ConvertToTable(ctx, object, options)
}
