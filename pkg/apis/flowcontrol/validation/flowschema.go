package validation

import (
	"fmt"
	"strconv"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apimachineryvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// exemptMatchingPrecedence is reserved for the FlowSchema exempt, so that no other
// precedes it.
const exemptMatchingPrecedence = 1

// ValidateFlowSchema validates a FlowSchema on create and on update.
func ValidateFlowSchema(schema *flowcontrol.FlowSchema) field.ErrorList {
	specPath := field.NewPath("spec")
	errs := validateMetadata(&schema.ObjectMeta, field.NewPath("metadata"))
	errs = append(errs, validateFlowSchemaSpec(schema.Name, &schema.Spec, specPath)...)
	errs = append(errs, validateMandatoryFlowSchema(schema, specPath)...)
	return bounded(append(errs, ValidateFlowSchemaStatus(schema)...))
}

// ValidateFlowSchemaStatus validates the status on update.
func ValidateFlowSchemaStatus(schema *flowcontrol.FlowSchema) field.ErrorList {
	return bounded(validateConditionTypes(schema.Status.Conditions, func(c *flowcontrol.FlowSchemaCondition) string { return string(c.Type) }))
}

func validateFlowSchemaSpec(name string, spec *flowcontrol.FlowSchemaSpec, path *field.Path) field.ErrorList {
	errs := validateMatchingPrecedence(name, spec.MatchingPrecedence, path.Child("matchingPrecedence"))
	if method := spec.DistinguisherMethod; method != nil {
		switch method.Type {
		case flowcontrol.FlowDistinguisherMethodByNamespaceType, flowcontrol.FlowDistinguisherMethodByUserType:
		default:
			errs = append(errs, field.NotSupported(path.Child("distinguisherMethod", "type"), shown{method, strconv.Quote(string(method.Type))}, []flowcontrol.FlowDistinguisherMethodType{
				flowcontrol.FlowDistinguisherMethodByNamespaceType,
				flowcontrol.FlowDistinguisherMethodByUserType,
			}))
		}
	}

	levelPath := path.Child("priorityLevelConfiguration", "name")
	if level := spec.PriorityLevelConfiguration.Name; level == "" {
		errs = append(errs, field.Required(levelPath, "must name a priority level"))
	} else {
		errs = append(errs, invalid(levelPath, level, apimachineryvalidation.NameIsDNSSubdomain(level, false))...)
	}

	return append(errs, boundedEach(spec.Rules, path.Child("rules"), validatePolicyRules)...)
}

func validateMatchingPrecedence(name string, precedence int32, path *field.Path) field.ErrorList {
	switch {
	case precedence < 1 || precedence > flowcontrolv1.FlowSchemaMaxMatchingPrecedence:
		return invalid(path, precedence, []string{
			fmt.Sprintf("must be between 1 and %d, inclusive", flowcontrolv1.FlowSchemaMaxMatchingPrecedence),
		})
	case precedence == exemptMatchingPrecedence && name != flowcontrolv1.FlowSchemaNameExempt:
		return invalid(path, precedence, []string{
			fmt.Sprintf("may only be %d in the schema named '%s'", exemptMatchingPrecedence, flowcontrolv1.FlowSchemaNameExempt),
		})
	}
	return nil
}
