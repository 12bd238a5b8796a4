// Package flowschema is the registry of FlowSchemas: their strategy, their
// storage on etcd, their table and the warnings on writes.
package flowschema

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/validation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/strategy"
)

var (
	_ rest.RESTCreateStrategy  = specStrategy{}
	_ rest.RESTUpdateStrategy  = specStrategy{}
	_ rest.RESTDeleteStrategy  = specStrategy{}
	_ rest.ResetFieldsStrategy = specStrategy{}
	_ rest.ResetFieldsStrategy = statusStrategy{}
)

// specStrategy is the strategy of the main resource, whose writes do not change
// the status.
type specStrategy struct {
	strategy.ClusterScoped
}

func (specStrategy) PrepareForCreate(_ context.Context, object runtime.Object) {
	schema := object.(*flowcontrol.FlowSchema)
	schema.Status = flowcontrol.FlowSchemaStatus{}
	schema.Generation = 1
}

func (specStrategy) PrepareForUpdate(_ context.Context, object, oldObject runtime.Object) {
	schema, old := object.(*flowcontrol.FlowSchema), oldObject.(*flowcontrol.FlowSchema)
	strategy.IncrementGeneration(&schema.ObjectMeta, &old.ObjectMeta, schema.Spec, old.Spec)
	schema.Status = old.Status
}

func (specStrategy) Validate(_ context.Context, object runtime.Object) field.ErrorList {
	return validation.ValidateFlowSchema(object.(*flowcontrol.FlowSchema))
}

func (specStrategy) ValidateUpdate(_ context.Context, object, oldObject runtime.Object) field.ErrorList {
	return validation.ValidateFlowSchemaUpdate(oldObject.(*flowcontrol.FlowSchema), object.(*flowcontrol.FlowSchema))
}

func (specStrategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return strategy.ResetFields("status")
}

// statusStrategy is the strategy of /status, whose writes change only the status.
type statusStrategy struct {
	specStrategy
}

func (statusStrategy) PrepareForUpdate(_ context.Context, object, oldObject runtime.Object) {
	schema, old := object.(*flowcontrol.FlowSchema), oldObject.(*flowcontrol.FlowSchema)
	strategy.KeepMetadata(&schema.ObjectMeta, &old.ObjectMeta)
	schema.Spec = old.Spec
}

func (statusStrategy) ValidateUpdate(_ context.Context, object, oldObject runtime.Object) field.ErrorList {
	return validation.ValidateFlowSchemaStatusUpdate(oldObject.(*flowcontrol.FlowSchema), object.(*flowcontrol.FlowSchema))
}

func (statusStrategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return strategy.ResetFields("spec", "metadata")
}
