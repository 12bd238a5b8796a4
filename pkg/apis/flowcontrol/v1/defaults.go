package v1

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/utils/ptr"
)

// The defaults of omitted fields.
const (
	defaultMatchingPrecedence       int32 = 1000
	defaultNominalConcurrencyShares int32 = 30
	defaultQueues                   int32 = 64
	defaultHandSize                 int32 = 8
	defaultQueueLengthLimit         int32 = 50
)

// SetDefaults_FlowSchemaSpec sets the defaults of a FlowSchema.
func SetDefaults_FlowSchemaSpec(spec *flowcontrolv1.FlowSchemaSpec) {
	defaultTo(&spec.MatchingPrecedence, defaultMatchingPrecedence)
}

// SetDefaults_LimitedPriorityLevelConfiguration sets the defaults of a limited level.
// Explicit zero shares stay zero.
func SetDefaults_LimitedPriorityLevelConfiguration(limited *flowcontrolv1.LimitedPriorityLevelConfiguration) {
	if limited.NominalConcurrencyShares == nil {
		limited.NominalConcurrencyShares = new(defaultNominalConcurrencyShares)
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
	defaultTo(&queuing.Queues, defaultQueues)
	defaultTo(&queuing.HandSize, defaultHandSize)
	defaultTo(&queuing.QueueLengthLimit, defaultQueueLengthLimit)
}

func defaultTo(field *int32, value int32) {
	if *field == 0 {
		*field = value
	}
}
