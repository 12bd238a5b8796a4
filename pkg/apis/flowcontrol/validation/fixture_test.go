package validation_test

import (
	"testing"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
)

func validFlowSchema() *flowcontrol.FlowSchema {
	return &flowcontrol.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: "batch"},
		Spec: flowcontrol.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrol.PriorityLevelConfigurationReference{Name: "workload-low"},
			MatchingPrecedence:         9000,
			DistinguisherMethod:        &flowcontrol.FlowDistinguisherMethod{Type: flowcontrol.FlowDistinguisherMethodByUserType},
			Rules: []flowcontrol.PolicyRulesWithSubjects{{
				Subjects: []flowcontrol.Subject{{
					Kind: flowcontrol.SubjectKindUser,
					User: &flowcontrol.UserSubject{Name: "alice"},
				}},
				ResourceRules: []flowcontrol.ResourcePolicyRule{{
					Verbs: []string{"get", "list"}, APIGroups: []string{""}, Resources: []string{"pods"}, Namespaces: []string{"default"},
				}},
				NonResourceRules: []flowcontrol.NonResourcePolicyRule{{
					Verbs: []string{"get"}, NonResourceURLs: []string{"/metrics"},
				}},
			}},
		},
	}
}

func validLevel() *flowcontrol.PriorityLevelConfiguration {
	return &flowcontrol.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "batch"},
		Spec: flowcontrol.PriorityLevelConfigurationSpec{
			Type: flowcontrol.PriorityLevelEnablementLimited,
			Limited: &flowcontrol.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: ptr.To[int32](30),
				LendablePercent:          ptr.To[int32](0),
				LimitResponse: flowcontrol.LimitResponse{
					Type:    flowcontrol.LimitResponseTypeQueue,
					Queuing: &flowcontrol.QueuingConfiguration{Queues: 64, HandSize: 8, QueueLengthLimit: 50},
				},
			},
		},
	}
}

func invalidInEachField() *flowcontrol.PriorityLevelConfiguration {
	level := validLevel()
	level.Name = flowcontrolv1.PriorityLevelConfigurationNameExempt
	level.Annotations = map[string]string{"flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares": ""}
	level.Spec.Exempt = &flowcontrol.ExemptPriorityLevelConfiguration{}
	level.Spec.Limited.NominalConcurrencyShares = ptr.To[int32](-1)
	level.Spec.Limited.LendablePercent = ptr.To[int32](101)
	level.Spec.Limited.LimitResponse.Queuing = &flowcontrol.QueuingConfiguration{HandSize: 8}
	level.Status.Conditions = []flowcontrol.PriorityLevelConfigurationCondition{{}}
	return level
}

// builtIn converts an object of the library to the hub.
func builtIn[T any](t *testing.T, hub T, published any) T {
	t.Helper()
	if err := install.NewScheme().Convert(published, hub, nil); err != nil {
		t.Fatal(err)
	}
	return hub
}
