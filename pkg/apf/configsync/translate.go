package configsync

import (
	"fmt"

	flowcontrol "k8s.io/api/flowcontrol/v1"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// defaultShares is the default of nominalConcurrencyShares of a limited level.
const defaultShares = 30

// translateLevel translates a level, or returns an error if it is invalid.
func translateLevel(object *flowcontrol.PriorityLevelConfiguration) (engine.LevelConfig, error) {
	config := engine.LevelConfig{Name: object.Name, UID: string(object.UID), Ref: object}
	spec := &object.Spec
	if (spec.Type == flowcontrol.PriorityLevelEnablementLimited) != (spec.Limited != nil) {
		return config, fmt.Errorf("spec.limited must be set if, and only if, spec.type is %q; spec.type is %q", flowcontrol.PriorityLevelEnablementLimited, spec.Type)
	}
	if (spec.Type == flowcontrol.PriorityLevelEnablementExempt) != (spec.Exempt != nil) {
		return config, fmt.Errorf("spec.exempt must be set if, and only if, spec.type is %q; spec.type is %q", flowcontrol.PriorityLevelEnablementExempt, spec.Type)
	}
	switch {
	case spec.Exempt != nil:
		config.Discipline = queueset.Exempt
		config.Share = allocation.Share{
			Shares:          ptr.Deref(spec.Exempt.NominalConcurrencyShares, 0),
			LendablePercent: ptr.Deref(spec.Exempt.LendablePercent, 0),
		}
		return config, config.Validate()
	case spec.Limited != nil:
		config.Share = allocation.Share{
			Shares:                ptr.Deref(spec.Limited.NominalConcurrencyShares, defaultShares),
			LendablePercent:       ptr.Deref(spec.Limited.LendablePercent, 0),
			BorrowingLimitPercent: spec.Limited.BorrowingLimitPercent,
		}
		if err := translateLimitResponse(&spec.Limited.LimitResponse, &config.Config); err != nil {
			return config, err
		}
		return config, config.Validate()
	default:
		return config, fmt.Errorf("spec.type must be %q or %q, not %q", flowcontrol.PriorityLevelEnablementLimited, flowcontrol.PriorityLevelEnablementExempt, spec.Type)
	}
}

func translateLimitResponse(response *flowcontrol.LimitResponse, config *queueset.Config) error {
	queuing := response.Queuing
	switch {
	case response.Type == flowcontrol.LimitResponseTypeReject && queuing == nil:
		config.Discipline = queueset.Reject
		return nil
	case response.Type == flowcontrol.LimitResponseTypeQueue && queuing != nil:
		*config = queueset.Config{
			Discipline:       queueset.Queue,
			Queues:           int(queuing.Queues),
			HandSize:         int(queuing.HandSize),
			QueueLengthLimit: int(queuing.QueueLengthLimit),
		}
		return nil
	default:
		return fmt.Errorf("spec.limited.limitResponse.type must be %q without queuing or %q with it; it is %q",
			flowcontrol.LimitResponseTypeReject, flowcontrol.LimitResponseTypeQueue, response.Type)
	}
}
