// Package objects makes flow schemas and priority levels for tests.
package objects

import flowcontrolv1 "k8s.io/api/flowcontrol/v1"

// Queuing returns a priority level with queues. Whether it lends and borrows is the default.
func Queuing(name string, shares, queues, hand, length int32) *flowcontrolv1.PriorityLevelConfiguration {
	level := Rejecting(name, shares)
	level.Spec.Limited.LimitResponse = flowcontrolv1.LimitResponse{
		Type:    flowcontrolv1.LimitResponseTypeQueue,
		Queuing: &flowcontrolv1.QueuingConfiguration{Queues: queues, HandSize: hand, QueueLengthLimit: length},
	}
	return level
}

// Rejecting returns a priority level without queues.
func Rejecting(name string, shares int32) *flowcontrolv1.PriorityLevelConfiguration {
	level := &flowcontrolv1.PriorityLevelConfiguration{}
	level.Name, level.Spec.Type = name, flowcontrolv1.PriorityLevelEnablementLimited
	level.Spec.Limited = &flowcontrolv1.LimitedPriorityLevelConfiguration{
		NominalConcurrencyShares: &shares, LimitResponse: flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
	}
	return level
}

// Schema returns a flow schema that makes all requests one flow.
func Schema(name, level string, precedence int32, rules ...flowcontrolv1.PolicyRulesWithSubjects) *flowcontrolv1.FlowSchema {
	schema := &flowcontrolv1.FlowSchema{}
	schema.Name, schema.Spec.PriorityLevelConfiguration.Name, schema.Spec.MatchingPrecedence, schema.Spec.Rules = name, level, precedence, rules
	return schema
}

// ByUser makes a flow of each user, and returns the flow schema.
func ByUser(schema *flowcontrolv1.FlowSchema) *flowcontrolv1.FlowSchema {
	schema.Spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType}
	return schema
}

// User returns a subject.
func User(name string) flowcontrolv1.Subject {
	return flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: name}}
}

// Group returns a subject.
func Group(name string) flowcontrolv1.Subject {
	return flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindGroup, Group: &flowcontrolv1.GroupSubject{Name: name}}
}

// Rule returns a rule about resources of an API group in a namespace; "*" is all of them, and then objects
// without a namespace too.
func Rule(subject flowcontrolv1.Subject, verb, group, resource, namespace string) flowcontrolv1.PolicyRulesWithSubjects {
	return flowcontrolv1.PolicyRulesWithSubjects{
		Subjects: []flowcontrolv1.Subject{subject},
		ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
			Verbs: []string{verb}, APIGroups: []string{group}, Resources: []string{resource}, Namespaces: []string{namespace}, ClusterScope: namespace == "*",
		}},
	}
}
