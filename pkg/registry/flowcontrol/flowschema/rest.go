package flowschema

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/storage"
)

// REST serves FlowSchemas. It advises, once a write is accepted, whoever created
// a schema or changed a spec; who changes nothing in the spec means nothing by
// it. The strategy would be asked on every attempt of an update, of which the
// first may start from an outdated object.
type REST struct {
	*storage.REST
	stored *catalogue
}

// Destroy stops what follows the store, and closes the store.
func (r *REST) Destroy() {
	r.stored.schemas.stop()
	r.REST.Destroy()
}

// Create stores a new schema.
func (r *REST) Create(ctx context.Context, object runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	stored := r.stored.now()
	created, err := r.REST.Create(ctx, object, validate, options)
	if err == nil {
		advise(ctx, created, stored)
	}
	return created, err
}

// Update writes a schema, and creates it if it is absent and forceAllowCreate is
// set, as it is for apply.
func (r *REST) Update(ctx context.Context, name string, objectInfo rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc, forceAllowCreate bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	stored := r.stored.now()
	var generation int64
	objectInfo = rest.WrapUpdatedObjectInfo(objectInfo, func(_ context.Context, updated, old runtime.Object) (runtime.Object, error) {
		generation = old.(*flowcontrol.FlowSchema).Generation
		return updated, nil
	})
	updated, created, err := r.REST.Update(ctx, name, objectInfo, createValidation, updateValidation, forceAllowCreate, options)
	if err == nil && updated.(*flowcontrol.FlowSchema).Generation != generation {
		advise(ctx, updated, stored)
	}
	return updated, created, err
}

func advise(ctx context.Context, object runtime.Object, stored lint.Catalogue) {
	for _, sentence := range lint.For(ctx, object.(*flowcontrol.FlowSchema), stored) {
		warning.AddWarning(ctx, "", sentence)
	}
}
