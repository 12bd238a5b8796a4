package lint

import (
	"fmt"
	"strconv"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
)

const capField = "metadata.annotations[" + names.MaxFlowSeatsPercent + "]"

// flowCap is FC210: a cap of a flow that has no effect (info), or one of less than a seat.
// limits are nil if unknown.
func flowCap(level *flowcontrolv1.PriorityLevelConfiguration, limits *allocation.Limits, users []*flowcontrolv1.FlowSchema) []Finding {
	value, found := level.Annotations[names.MaxFlowSeatsPercent]
	percent, err := strconv.Atoi(value)
	if !found || err != nil {
		return nil // invalid: FC405
	}
	if reason := capWithoutEffect(level, percent, users); reason != "" {
		return []Finding{finding(FlowCap, levelObject(level.Name), capField, reason, "Remove the annotation.").as(Info)}
	}
	if limits == nil || limits.Nominal*percent >= 100 || limits.Nominal == 0 {
		return nil
	}
	return []Finding{finding(FlowCap, levelObject(level.Name), capField,
		fmt.Sprintf("%d %% of the level's %d seats is less than one seat, so each flow executes one request at a time while others wait.", percent, limits.Nominal),
		"Raise the percentage or the shares.")}
}

// capWithoutEffect returns why a cap has no effect, empty if it has one.
func capWithoutEffect(level *flowcontrolv1.PriorityLevelConfiguration, percent int, users []*flowcontrolv1.FlowSchema) string {
	limited := level.Spec.Limited
	switch {
	case limited == nil:
		return "An exempt level limits no flow, so this cap has no effect."
	case limited.LimitResponse.Type == flowcontrolv1.LimitResponseTypeReject:
		return "No request waits on a level of the limit response Reject, so this cap has no effect."
	case percent == 100:
		return "A cap of 100 % has no effect."
	case len(users) == 1 && users[0].Spec.DistinguisherMethod == nil:
		return fmt.Sprintf("All requests of this level are of one flow, since FlowSchema %q has no distinguisherMethod, so this cap has no effect.", users[0].Name)
	default:
		return ""
	}
}
