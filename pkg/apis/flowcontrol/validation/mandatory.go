package validation

import (
	"fmt"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	flowcontrolconversion "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1"
)

// validateMandatoryFlowSchema checks that a mandatory schema has the built-in spec,
// which is in force in any case.
func validateMandatoryFlowSchema(schema *flowcontrol.FlowSchema, path *field.Path) field.ErrorList {
	i := slices.IndexFunc(bootstrap.MandatoryFlowSchemas, func(mandatory *flowcontrolv1.FlowSchema) bool {
		return mandatory.Name == schema.Name
	})
	if i < 0 {
		return nil
	}
	var want flowcontrol.FlowSchemaSpec
	// want shares memory with the library's object and is read only.
	if err := flowcontrolconversion.Convert_v1_FlowSchemaSpec_To_flowcontrol_FlowSchemaSpec(&bootstrap.MandatoryFlowSchemas[i].Spec, &want, nil); err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	if equality.Semantic.DeepEqual(&schema.Spec, &want) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, schema.Spec, fmt.Sprintf("must equal the built-in spec of the mandatory schema '%s'", schema.Name))}
}

// validateMandatoryLevel checks that a mandatory level has the built-in spec, except
// for the shares and the lendable percentage of exempt, which users may set.
func validateMandatoryLevel(level *flowcontrol.PriorityLevelConfiguration, path *field.Path) field.ErrorList {
	i := slices.IndexFunc(bootstrap.MandatoryPriorityLevelConfigurations, func(mandatory *flowcontrolv1.PriorityLevelConfiguration) bool {
		return mandatory.Name == level.Name
	})
	if i < 0 {
		return nil
	}
	var want flowcontrol.PriorityLevelConfigurationSpec
	// want shares memory with the library's object and is read only.
	if err := flowcontrolconversion.Convert_v1_PriorityLevelConfigurationSpec_To_flowcontrol_PriorityLevelConfigurationSpec(&bootstrap.MandatoryPriorityLevelConfigurations[i].Spec, &want, nil); err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	detail := fmt.Sprintf("must equal the built-in spec of the mandatory level '%s'", level.Name)
	if level.Name == flowcontrolv1.PriorityLevelConfigurationNameExempt {
		want.Exempt = level.Spec.Exempt
		detail += ", except for `exempt`"
	}
	if equality.Semantic.DeepEqual(&level.Spec, &want) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, level.Spec, detail)}
}
