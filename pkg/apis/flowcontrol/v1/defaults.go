package v1

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/utils/ptr"
)

// What a field that a v1 object leaves out stands for.
const (
	defaultMatchingPrecedence       int32 = 1000
	defaultNominalConcurrencyShares int32 = 30
	defaultQueues                   int32 = 64
	defaultHandSize                 int32 = 8
	defaultQueueLengthLimit         int32 = 50
)

// SetDefaults_FlowSchemaSpec fills in what a spec leaves out.
func SetDefaults_FlowSchemaSpec(spec *flowcontrolv1.FlowSchemaSpec) {
	defaultTo(&spec.MatchingPrecedence, defaultMatchingPrecedence)
}

// SetDefaults_LimitedPriorityLevelConfiguration fills in what a limited level
// leaves out. Zero shares that are given stay zero.
func SetDefaults_LimitedPriorityLevelConfiguration(limited *flowcontrolv1.LimitedPriorityLevelConfiguration) {
	if limited.NominalConcurrencyShares == nil {
		limited.NominalConcurrencyShares = new(defaultNominalConcurrencyShares)
	}
	if limited.LendablePercent == nil {
		limited.LendablePercent = ptr.To[int32](0)
	}
}

// SetDefaults_ExemptPriorityLevelConfiguration fills in what an exempt level
// leaves out.
func SetDefaults_ExemptPriorityLevelConfiguration(exempt *flowcontrolv1.ExemptPriorityLevelConfiguration) {
	if exempt.NominalConcurrencyShares == nil {
		exempt.NominalConcurrencyShares = ptr.To[int32](0)
	}
	if exempt.LendablePercent == nil {
		exempt.LendablePercent = ptr.To[int32](0)
	}
}

// SetDefaults_QueuingConfiguration fills in the numbers that are zero.
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
