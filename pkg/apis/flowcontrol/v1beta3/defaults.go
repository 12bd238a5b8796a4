package v1beta3

import (
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/utils/ptr"
)

// What a field that a v1beta3 object leaves out stands for.
const (
	defaultMatchingPrecedence       int32 = 1000
	defaultNominalConcurrencyShares int32 = 30
	defaultQueues                   int32 = 64
	defaultHandSize                 int32 = 8
	defaultQueueLengthLimit         int32 = 50
)

// SetDefaults_FlowSchemaSpec fills in what a spec leaves out.
func SetDefaults_FlowSchemaSpec(spec *flowcontrolv1beta3.FlowSchemaSpec) {
	defaultTo(&spec.MatchingPrecedence, defaultMatchingPrecedence)
}

// SetDefaults_PriorityLevelConfiguration fills in the shares of a limited
// level. It takes the whole object because the annotation that keeps a zero is
// in its metadata.
func SetDefaults_PriorityLevelConfiguration(level *flowcontrolv1beta3.PriorityLevelConfiguration) {
	if level.Spec.Limited == nil {
		return
	}
	if _, keepZero := level.Annotations[flowcontrolv1beta3.PriorityLevelPreserveZeroConcurrencySharesKey]; !keepZero {
		defaultTo(&level.Spec.Limited.NominalConcurrencyShares, defaultNominalConcurrencyShares)
	}
}

// SetDefaults_LimitedPriorityLevelConfiguration fills in what a limited level
// leaves out, its shares excepted.
func SetDefaults_LimitedPriorityLevelConfiguration(limited *flowcontrolv1beta3.LimitedPriorityLevelConfiguration) {
	if limited.LendablePercent == nil {
		limited.LendablePercent = ptr.To[int32](0)
	}
}

// SetDefaults_ExemptPriorityLevelConfiguration fills in what an exempt level
// leaves out.
func SetDefaults_ExemptPriorityLevelConfiguration(exempt *flowcontrolv1beta3.ExemptPriorityLevelConfiguration) {
	if exempt.NominalConcurrencyShares == nil {
		exempt.NominalConcurrencyShares = ptr.To[int32](0)
	}
	if exempt.LendablePercent == nil {
		exempt.LendablePercent = ptr.To[int32](0)
	}
}

// SetDefaults_QueuingConfiguration fills in the numbers that are zero.
func SetDefaults_QueuingConfiguration(queuing *flowcontrolv1beta3.QueuingConfiguration) {
	defaultTo(&queuing.Queues, defaultQueues)
	defaultTo(&queuing.HandSize, defaultHandSize)
	defaultTo(&queuing.QueueLengthLimit, defaultQueueLengthLimit)
}

func defaultTo(field *int32, value int32) {
	if *field == 0 {
		*field = value
	}
}
