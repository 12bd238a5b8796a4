package apf_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
)

// newServer returns a FlowControl without an API.
func newServer(t *testing.T, config apf.Config) *server {
	t.Helper()
	f, err := apf.New(config)
	require.NoError(t, err)
	return &server{FlowControl: f}
}

// apply applies a configuration without invalid objects.
func (s *server) apply(t *testing.T, levels []*flowcontrolv1.PriorityLevelConfiguration, schemas ...*flowcontrolv1.FlowSchema) {
	t.Helper()
	require.Empty(t, s.Apply(levels, schemas))
}

type levelObjects = []*flowcontrolv1.PriorityLevelConfiguration

// levelWithQueues returns a level that may lend all its seats but one, and borrow.
func levelWithQueues(name string, shares int32) *flowcontrolv1.PriorityLevelConfiguration {
	level := levelWithoutQueues(name, shares)
	level.Spec.Limited.LimitResponse = flowcontrolv1.LimitResponse{
		Type:    flowcontrolv1.LimitResponseTypeQueue,
		Queuing: &flowcontrolv1.QueuingConfiguration{Queues: 4, HandSize: 1, QueueLengthLimit: 50},
	}
	level.Spec.Limited.LendablePercent, level.Spec.Limited.BorrowingLimitPercent = new(int32(100)), nil
	return level
}

// levelWithoutQueues returns a level that neither lends nor borrows.
func levelWithoutQueues(name string, shares int32) *flowcontrolv1.PriorityLevelConfiguration {
	return &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: &shares,
				BorrowingLimitPercent:    new(int32(0)),
				LimitResponse:            flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
			},
		},
	}
}

// schemaOf returns a schema of all requests for configmaps of the user of the same name.
func schemaOf(name, level string) *flowcontrolv1.FlowSchema {
	all := []string{"*"}
	return &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: flowcontrolv1.FlowSchemaSpec{
			MatchingPrecedence:         100,
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: level},
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: name}}},
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
					Verbs: all, APIGroups: all, Resources: []string{"configmaps"}, Namespaces: all,
				}},
			}},
		},
	}
}
