package validation

import (
	"fmt"

	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// ValidatePriorityLevelConfiguration checks a level that is to be created.
func ValidatePriorityLevelConfiguration(level *flowcontrol.PriorityLevelConfiguration) field.ErrorList {
	metadataPath, specPath := field.NewPath("metadata"), field.NewPath("spec")
	errs := validateMetadata(&level.ObjectMeta, metadataPath)
	// Conversion from v1beta3 takes this annotation off; here it would turn up
	// in every later answer in v1beta3 and be mistaken for one of the server's.
	const keepZeroShares = flowcontrolv1beta3.PriorityLevelPreserveZeroConcurrencySharesKey
	if _, marked := level.Annotations[keepZeroShares]; marked {
		errs = append(errs, field.Forbidden(metadataPath.Child("annotations"), fmt.Sprintf("may only contain '%s' in v1beta3", keepZeroShares)))
	}
	errs = append(errs, validateLevelSpec(level.Name, &level.Spec, specPath)...)
	errs = append(errs, validateMandatoryLevel(level, specPath)...)
	return append(errs, validateLevelStatus(&level.Status, field.NewPath("status"))...)
}

// ValidatePriorityLevelConfigurationUpdate checks what is to replace old.
func ValidatePriorityLevelConfigurationUpdate(_, updated *flowcontrol.PriorityLevelConfiguration) field.ErrorList {
	return ValidatePriorityLevelConfiguration(updated)
}

// ValidatePriorityLevelConfigurationStatusUpdate checks the status that is to
// replace old's.
func ValidatePriorityLevelConfigurationStatusUpdate(_, updated *flowcontrol.PriorityLevelConfiguration) field.ErrorList {
	return validateLevelStatus(&updated.Status, field.NewPath("status"))
}

func validateLevelSpec(name string, spec *flowcontrol.PriorityLevelConfigurationSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	isExempt := spec.Type == flowcontrol.PriorityLevelEnablementExempt
	if nameIsExempt := name == flowcontrol.PriorityLevelConfigurationNameExempt; isExempt != nameIsExempt {
		fault := "may only be 'Exempt' in the level named 'exempt'"
		if nameIsExempt {
			fault = "must be 'Exempt' in the level named 'exempt'"
		}
		errs = append(errs, field.Invalid(path.Child("type"), spec.Type, fault))
	}

	limitedPath, exemptPath := path.Child("limited"), path.Child("exempt")
	switch spec.Type {
	case flowcontrol.PriorityLevelEnablementExempt:
		errs = append(errs, forbiddenMember(spec.Limited, limitedPath, "may only be specified when `type` is 'Limited'")...)
		if spec.Exempt != nil {
			errs = append(errs, validateExempt(spec.Exempt, exemptPath)...)
		}
	case flowcontrol.PriorityLevelEnablementLimited:
		errs = append(errs, forbiddenMember(spec.Exempt, exemptPath, "may only be specified when `type` is 'Exempt'")...)
		if spec.Limited == nil {
			errs = append(errs, field.Required(limitedPath, "must be specified when `type` is 'Limited'"))
		} else {
			errs = append(errs, validateLimited(spec.Limited, limitedPath)...)
		}
	default:
		errs = append(errs, field.NotSupported(path.Child("type"), spec.Type, []flowcontrol.PriorityLevelEnablement{
			flowcontrol.PriorityLevelEnablementExempt,
			flowcontrol.PriorityLevelEnablementLimited,
		}))
	}
	return errs
}

func validateExempt(exempt *flowcontrol.ExemptPriorityLevelConfiguration, path *field.Path) field.ErrorList {
	errs := validateNotNegative(exempt.NominalConcurrencyShares, path.Child("nominalConcurrencyShares"))
	return append(errs, validatePercent(exempt.LendablePercent, path.Child("lendablePercent"))...)
}

func validateLimited(limited *flowcontrol.LimitedPriorityLevelConfiguration, path *field.Path) field.ErrorList {
	errs := validateNotNegative(limited.NominalConcurrencyShares, path.Child("nominalConcurrencyShares"))
	errs = append(errs, validateLimitResponse(&limited.LimitResponse, path.Child("limitResponse"))...)
	errs = append(errs, validatePercent(limited.LendablePercent, path.Child("lendablePercent"))...)
	return append(errs, validateNotNegative(limited.BorrowingLimitPercent, path.Child("borrowingLimitPercent"))...)
}

func validateLevelStatus(status *flowcontrol.PriorityLevelConfigurationStatus, path *field.Path) field.ErrorList {
	types := make([]flowcontrol.PriorityLevelConfigurationConditionType, len(status.Conditions))
	for i := range status.Conditions {
		types[i] = status.Conditions[i].Type
	}
	return validateConditionTypes(types, path.Child("conditions"))
}
