package options

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// defaultSchema sets what the API server sets in an object that is sent to it, by the
// reference documentation of the API. What it does not set, the engine takes as set.
func defaultSchema(schema *flowcontrolv1.FlowSchema) {
	setDefault(&schema.Spec.MatchingPrecedence, 1000)
}

// defaultLevel is defaultSchema for a priority level.
func defaultLevel(level *flowcontrolv1.PriorityLevelConfiguration) {
	if limited := level.Spec.Limited; limited != nil && limited.LimitResponse.Queuing != nil {
		queuing := limited.LimitResponse.Queuing
		setDefault(&queuing.Queues, 64)
		setDefault(&queuing.HandSize, 8)
		setDefault(&queuing.QueueLengthLimit, 50)
	}
}

func setDefault(field *int32, value int32) {
	if *field == 0 {
		*field = value
	}
}

// asV1 returns an object or a list of v1beta3 as v1, and others as they are. In protobuf both
// versions are encoded alike.
func asV1(object runtime.Object) (runtime.Object, error) {
	switch from := object.(type) {
	case *flowcontrolv1beta3.FlowSchema:
		return recoded(from, &flowcontrolv1.FlowSchema{})
	case *flowcontrolv1beta3.FlowSchemaList:
		return recoded(from, &flowcontrolv1.FlowSchemaList{})
	case *flowcontrolv1beta3.PriorityLevelConfiguration:
		to, err := recoded(from, &flowcontrolv1.PriorityLevelConfiguration{})
		unsetShares(to)
		return to, err
	case *flowcontrolv1beta3.PriorityLevelConfigurationList:
		to, err := recoded(from, &flowcontrolv1.PriorityLevelConfigurationList{})
		for i := range to.Items {
			unsetShares(&to.Items[i])
		}
		return to, err
	default:
		return object, nil
	}
}

// recoded decodes into to what from encodes, and returns to.
func recoded[T interface{ Unmarshal([]byte) error }](from interface{ Marshal() ([]byte, error) }, to T) (T, error) {
	encoded, err := from.Marshal()
	if err != nil {
		return to, err
	}
	return to, to.Unmarshal(encoded)
}

// unsetShares unsets the shares of a limited level of v1beta3 that are 0: there they mean the
// default, unless an annotation says that they mean zero.
func unsetShares(level *flowcontrolv1.PriorityLevelConfiguration) {
	_, zero := level.Annotations[flowcontrolv1beta3.PriorityLevelPreserveZeroConcurrencySharesKey]
	if limited := level.Spec.Limited; limited != nil && !zero && ptr.Deref(limited.NominalConcurrencyShares, 0) == 0 {
		limited.NominalConcurrencyShares = nil
	}
}
