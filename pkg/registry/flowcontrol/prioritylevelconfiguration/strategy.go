// Package prioritylevelconfiguration is the registry of PriorityLevelConfigurations:
// their strategy, their storage on etcd and their table.
package prioritylevelconfiguration

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
	level := object.(*flowcontrol.PriorityLevelConfiguration)
	level.Status = flowcontrol.PriorityLevelConfigurationStatus{}
	level.Generation = 1
}

func (specStrategy) PrepareForUpdate(_ context.Context, object, oldObject runtime.Object) {
	level, old := object.(*flowcontrol.PriorityLevelConfiguration), oldObject.(*flowcontrol.PriorityLevelConfiguration)
	strategy.IncrementGeneration(&level.ObjectMeta, &old.ObjectMeta, level.Spec, old.Spec)
	level.Status = old.Status
}

func (specStrategy) Validate(_ context.Context, object runtime.Object) field.ErrorList {
	return validation.ValidatePriorityLevelConfiguration(object.(*flowcontrol.PriorityLevelConfiguration))
}

func (specStrategy) ValidateUpdate(_ context.Context, object, oldObject runtime.Object) field.ErrorList {
	return validation.ValidatePriorityLevelConfigurationUpdate(oldObject.(*flowcontrol.PriorityLevelConfiguration), object.(*flowcontrol.PriorityLevelConfiguration))
}

func (specStrategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return strategy.ResetFields("status")
}

// statusStrategy is the strategy of /status, whose writes change only the status.
type statusStrategy struct {
	specStrategy
}

func (statusStrategy) PrepareForUpdate(_ context.Context, object, oldObject runtime.Object) {
	level, old := object.(*flowcontrol.PriorityLevelConfiguration), oldObject.(*flowcontrol.PriorityLevelConfiguration)
	strategy.KeepMetadata(&level.ObjectMeta, &old.ObjectMeta)
	level.Spec = old.Spec
}

func (statusStrategy) ValidateUpdate(_ context.Context, object, oldObject runtime.Object) field.ErrorList {
	return validation.ValidatePriorityLevelConfigurationStatusUpdate(oldObject.(*flowcontrol.PriorityLevelConfiguration), object.(*flowcontrol.PriorityLevelConfiguration))
}

func (statusStrategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return strategy.ResetFields("spec", "metadata")
}
