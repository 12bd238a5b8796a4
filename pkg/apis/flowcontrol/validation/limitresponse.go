package validation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/util/shufflesharding"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// maxQueues bounds the memory that one level's queues take.
const maxQueues = 10_000_000

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
	if fault := handSizeFault(queuing.HandSize, queuing.Queues); fault != "" {
		errs = append(errs, field.Invalid(path.Child("handSize"), queuing.HandSize, fault))
	}
	return errs
}

// handSizeFault says what is wrong with dealing hands of this size. The hand is
// dealt from the bits of one hash, which has to have enough of them: about
// log2(queues) for each card.
func handSizeFault(handSize, queues int32) string {
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
