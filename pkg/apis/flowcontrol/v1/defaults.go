package v1

import (
	"cmp"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/utils/ptr"
)

// The defaults of omitted fields, in every version.
const (
	DefaultMatchingPrecedence       int32 = 1000
	DefaultNominalConcurrencyShares int32 = 30

	defaultQueues           int32 = 64
	defaultHandSize         int32 = 8
	defaultQueueLengthLimit int32 = 50
)

// SetDefaults_FlowSchemaSpec sets the defaults of a FlowSchema.
func SetDefaults_FlowSchemaSpec(spec *flowcontrolv1.FlowSchemaSpec) {
	spec.MatchingPrecedence = cmp.Or(spec.MatchingPrecedence, DefaultMatchingPrecedence)
}

// SetDefaults_LimitedPriorityLevelConfiguration sets the defaults of a limited level.
// Explicit zero shares stay zero.
func SetDefaults_LimitedPriorityLevelConfiguration(limited *flowcontrolv1.LimitedPriorityLevelConfiguration) {
	if limited.NominalConcurrencyShares == nil {
		limited.NominalConcurrencyShares = new(DefaultNominalConcurrencyShares)
	}
	if limited.LendablePercent == nil {
		limited.LendablePercent = ptr.To[int32](0)
	}
}

// SetDefaults_ExemptPriorityLevelConfiguration sets the defaults of an exempt level.
func SetDefaults_ExemptPriorityLevelConfiguration(exempt *flowcontrolv1.ExemptPriorityLevelConfiguration) {
	if exempt.NominalConcurrencyShares == nil {
		exempt.NominalConcurrencyShares = ptr.To[int32](0)
	}
	if exempt.LendablePercent == nil {
		exempt.LendablePercent = ptr.To[int32](0)
	}
}

// SetDefaults_QueuingConfiguration sets the defaults of fields that are zero.
func SetDefaults_QueuingConfiguration(queuing *flowcontrolv1.QueuingConfiguration) {
	queuing.Queues = cmp.Or(queuing.Queues, defaultQueues)
	queuing.HandSize = cmp.Or(queuing.HandSize, defaultHandSize)
	queuing.QueueLengthLimit = cmp.Or(queuing.QueueLengthLimit, defaultQueueLengthLimit)
}
