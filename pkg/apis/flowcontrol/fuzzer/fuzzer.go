// Package fuzzer fills the hub types with random values for tests.
//
// The values are as in defaulted objects: a number whose default is not zero is never zero, and a
// pointer that defaulting sets is never nil. The shares of a limited level may be zero, which
// differs from omitted shares.
package fuzzer

import (
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/randfill"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// Funcs is a fuzzer.FuzzerFuncs of k8s.io/apimachinery for the hub types.
func Funcs(serializer.CodecFactory) []any {
	return []any{
		func(spec *flowcontrol.FlowSchemaSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			replaceZero(&spec.MatchingPrecedence, 1000)
		},
		func(limited *flowcontrol.LimitedPriorityLevelConfiguration, c randfill.Continue) {
			c.FillNoCustom(limited)
			replaceNil(&limited.NominalConcurrencyShares)
			replaceNil(&limited.LendablePercent)
		},
		func(exempt *flowcontrol.ExemptPriorityLevelConfiguration, c randfill.Continue) {
			c.FillNoCustom(exempt)
			replaceNil(&exempt.NominalConcurrencyShares)
			replaceNil(&exempt.LendablePercent)
		},
		func(queuing *flowcontrol.QueuingConfiguration, c randfill.Continue) {
			c.FillNoCustom(queuing)
			replaceZero(&queuing.Queues, 64)
			replaceZero(&queuing.HandSize, 8)
			replaceZero(&queuing.QueueLengthLimit, 50)
		},
	}
}

func replaceZero(value *int32, by int32) {
	if *value == 0 {
		*value = by
	}
}

func replaceNil(value **int32) {
	if *value == nil {
		*value = ptr.To[int32](0)
	}
}
