package validation

import (
	"fmt"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/util/shufflesharding"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// maxQueues bounds the memory of one level's queues.
const maxQueues = 10_000_000

// ValidatePriorityLevelConfiguration validates a level on create and on update.
func ValidatePriorityLevelConfiguration(level *flowcontrol.PriorityLevelConfiguration) field.ErrorList {
	metadataPath, specPath := field.NewPath("metadata"), field.NewPath("spec")
	errs := validateMetadata(&level.ObjectMeta, metadataPath)
	// Conversion from v1beta3 removes this annotation. In another version it would
	// be stored, and later responses in v1beta3 would contain it.
	const keepZeroShares = flowcontrolv1beta3.PriorityLevelPreserveZeroConcurrencySharesKey
	if _, marked := level.Annotations[keepZeroShares]; marked {
		errs = append(errs, field.Forbidden(metadataPath.Child("annotations"), fmt.Sprintf("may only contain '%s' in v1beta3", keepZeroShares)))
	}
	errs = append(errs, validateLevelSpec(level.Name, &level.Spec, specPath)...)
	errs = append(errs, validateMandatoryLevel(level, specPath)...)
	return bounded(append(errs, ValidatePriorityLevelConfigurationStatus(level)...))
}

// ValidatePriorityLevelConfigurationStatus validates the status on update.
func ValidatePriorityLevelConfigurationStatus(level *flowcontrol.PriorityLevelConfiguration) field.ErrorList {
	return bounded(validateConditionTypes(level.Status.Conditions, func(c *flowcontrol.PriorityLevelConfigurationCondition) string { return string(c.Type) }))
}

func validateLevelSpec(name string, spec *flowcontrol.PriorityLevelConfigurationSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	isExempt := spec.Type == flowcontrol.PriorityLevelEnablementExempt
	if nameIsExempt := name == flowcontrolv1.PriorityLevelConfigurationNameExempt; isExempt != nameIsExempt {
		detail := "may only be 'Exempt' in the level named 'exempt'"
		if nameIsExempt {
			detail = "must be 'Exempt' in the level named 'exempt'"
		}
		errs = append(errs, field.Invalid(path.Child("type"), spec.Type, detail))
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

func validateLimitResponse(response *flowcontrol.LimitResponse, path *field.Path) field.ErrorList {
	queuingPath := path.Child("queuing")
	switch response.Type {
	case flowcontrol.LimitResponseTypeReject:
		return forbiddenMember(response.Queuing, queuingPath, "may only be specified when `type` is 'Queue'")
	case flowcontrol.LimitResponseTypeQueue:
		if response.Queuing == nil {
			return field.ErrorList{field.Required(queuingPath, "must be specified when `type` is 'Queue'")}
		}
		return validateQueuing(response.Queuing, queuingPath)
	}
	return field.ErrorList{field.NotSupported(path.Child("type"), response.Type, []flowcontrol.LimitResponseType{
		flowcontrol.LimitResponseTypeQueue,
		flowcontrol.LimitResponseTypeReject,
	})}
}

func validateQueuing(queuing *flowcontrol.QueuingConfiguration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if queuing.QueueLengthLimit <= 0 {
		errs = append(errs, field.Invalid(path.Child("queueLengthLimit"), queuing.QueueLengthLimit, "must be greater than 0"))
	}
	if queuing.Queues <= 0 || queuing.Queues > maxQueues {
		errs = append(errs, field.Invalid(path.Child("queues"), queuing.Queues, fmt.Sprintf("must be between 1 and %d, inclusive", maxQueues)))
	}
	if detail := handSizeError(queuing.HandSize, queuing.Queues); detail != "" {
		errs = append(errs, field.Invalid(path.Child("handSize"), queuing.HandSize, detail))
	}
	return errs
}

// handSizeError returns what is wrong with the hand size, empty if it is valid. A
// hand is dealt from the bits of one hash and needs about log2(queues) of them for
// each card.
func handSizeError(handSize, queues int32) string {
	switch {
	case handSize <= 0:
		return "must be greater than 0"
	case handSize > queues:
		return fmt.Sprintf("must be less than or equal to `queues` (%d)", queues)
	}
	if bits := shufflesharding.RequiredEntropyBits(int(queues), int(handSize)); bits > shufflesharding.MaxHashBits {
		return fmt.Sprintf("must be small enough for `queues` (%d): needs %d bits of hash, which must be less than or equal to %d",
			queues, bits, shufflesharding.MaxHashBits)
	}
	return ""
}
