package options

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
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

// schemaFromV1beta3 returns the object as v1, which has the same fields.
func schemaFromV1beta3(from *flowcontrolv1beta3.FlowSchema) *flowcontrolv1.FlowSchema {
	to := &flowcontrolv1.FlowSchema{ObjectMeta: from.ObjectMeta, Spec: flowcontrolv1.FlowSchemaSpec{
		PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference(from.Spec.PriorityLevelConfiguration),
		MatchingPrecedence:         from.Spec.MatchingPrecedence,
	}}
	if method := from.Spec.DistinguisherMethod; method != nil {
		to.Spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodType(method.Type)}
	}
	for i := range from.Spec.Rules {
		to.Spec.Rules = append(to.Spec.Rules, ruleFromV1beta3(&from.Spec.Rules[i]))
	}
	return to
}

func ruleFromV1beta3(from *flowcontrolv1beta3.PolicyRulesWithSubjects) flowcontrolv1.PolicyRulesWithSubjects {
	var to flowcontrolv1.PolicyRulesWithSubjects
	for _, subject := range from.Subjects {
		to.Subjects = append(to.Subjects, flowcontrolv1.Subject{
			Kind:           flowcontrolv1.SubjectKind(subject.Kind),
			User:           (*flowcontrolv1.UserSubject)(subject.User),
			Group:          (*flowcontrolv1.GroupSubject)(subject.Group),
			ServiceAccount: (*flowcontrolv1.ServiceAccountSubject)(subject.ServiceAccount),
		})
	}
	for _, rule := range from.ResourceRules {
		to.ResourceRules = append(to.ResourceRules, flowcontrolv1.ResourcePolicyRule(rule))
	}
	for _, rule := range from.NonResourceRules {
		to.NonResourceRules = append(to.NonResourceRules, flowcontrolv1.NonResourcePolicyRule(rule))
	}
	return to
}

// levelFromV1beta3 returns the object as v1. In v1beta3, 0 shares of a limited level mean the
// default, unless an annotation says that they mean zero.
func levelFromV1beta3(from *flowcontrolv1beta3.PriorityLevelConfiguration) *flowcontrolv1.PriorityLevelConfiguration {
	to := &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: from.ObjectMeta, Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
		Type:   flowcontrolv1.PriorityLevelEnablement(from.Spec.Type),
		Exempt: (*flowcontrolv1.ExemptPriorityLevelConfiguration)(from.Spec.Exempt),
	}}
	limited := from.Spec.Limited
	if limited == nil {
		return to
	}
	to.Spec.Limited = &flowcontrolv1.LimitedPriorityLevelConfiguration{
		LendablePercent:       limited.LendablePercent,
		BorrowingLimitPercent: limited.BorrowingLimitPercent,
		LimitResponse: flowcontrolv1.LimitResponse{
			Type:    flowcontrolv1.LimitResponseType(limited.LimitResponse.Type),
			Queuing: (*flowcontrolv1.QueuingConfiguration)(limited.LimitResponse.Queuing),
		},
	}
	_, zero := from.Annotations[flowcontrolv1beta3.PriorityLevelPreserveZeroConcurrencySharesKey]
	if limited.NominalConcurrencyShares != 0 || zero {
		to.Spec.Limited.NominalConcurrencyShares = new(limited.NominalConcurrencyShares)
	}
	return to
}
