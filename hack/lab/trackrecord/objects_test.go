package trackrecord

import (
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
)

// queuing returns a level with queues of 50 requests, whose seats others cannot use.
func queuing(name string, shares, queues, hand int32) *flowcontrolv1.PriorityLevelConfiguration {
	level := rejecting(name, shares)
	level.Spec.Limited.LimitResponse = flowcontrolv1.LimitResponse{
		Type:    flowcontrolv1.LimitResponseTypeQueue,
		Queuing: &flowcontrolv1.QueuingConfiguration{Queues: queues, HandSize: hand, QueueLengthLimit: 50},
	}
	return level
}

// rejecting returns a level without queues that neither lends nor borrows.
func rejecting(name string, shares int32) *flowcontrolv1.PriorityLevelConfiguration {
	return &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name + "-level")},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: &shares,
				LendablePercent:          new(int32(0)),
				BorrowingLimitPercent:    new(int32(0)),
				LimitResponse:            flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
			},
		},
	}
}

// ofUsers returns a schema of all requests of the users, which divides them by user.
func ofUsers(name, level string, precedence int32, users ...string) *flowcontrolv1.FlowSchema {
	all := []string{"*"}
	var subjects []flowcontrolv1.Subject
	for _, name := range users {
		subjects = append(subjects, flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: name}})
	}
	return &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name + "-schema")},
		Spec: flowcontrolv1.FlowSchemaSpec{
			MatchingPrecedence:         precedence,
			DistinguisherMethod:        &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType},
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: level},
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: subjects,
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
					Verbs: all, APIGroups: all, Resources: all, ClusterScope: true, Namespaces: all,
				}},
				NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: all, NonResourceURLs: all}},
			}},
		},
	}
}

type (
	levels  = []*flowcontrolv1.PriorityLevelConfiguration
	schemas = []*flowcontrolv1.FlowSchema
)

// builtIn returns a server with the objects that kube-apiserver 1.33 creates.
func builtIn(total int) Setup {
	return Setup{
		Total:   total,
		Levels:  slices.Concat(bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.SuggestedPriorityLevelConfigurations),
		Schemas: slices.Concat(bootstrap.MandatoryFlowSchemas, bootstrap.SuggestedFlowSchemas),
	}
}

// with returns a server that has a level and a schema more.
func (s Setup) with(level *flowcontrolv1.PriorityLevelConfiguration, schema *flowcontrolv1.FlowSchema) Setup {
	s.Levels = append(levels{level}, s.Levels...)
	s.Schemas = append(schemas{schema}, s.Schemas...)
	return s
}

// change replaces a level by a changed copy.
func (s *Setup) change(name string, change func(*flowcontrolv1.PriorityLevelConfigurationSpec)) {
	s.Levels = slices.Clone(s.Levels)
	for i, level := range s.Levels {
		if level.Name == name {
			s.Levels[i] = level.DeepCopy()
			change(&s.Levels[i].Spec)
		}
	}
}

// rejects makes a level reject what exceeds its seats.
func rejects(spec *flowcontrolv1.PriorityLevelConfigurationSpec) {
	spec.Limited.LimitResponse = flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject}
}

// borrowsNothing keeps a level from borrowing.
func borrowsNothing(spec *flowcontrolv1.PriorityLevelConfigurationSpec) {
	spec.Limited.BorrowingLimitPercent = new(int32(0))
}

// serviceAccount returns the name of the service account of a namespace, and its groups.
func serviceAccount(namespace, name string) (user string, groups []string) {
	return "system:serviceaccount:" + namespace + ":" + name, []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace}
}
