package flowcontrol

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
)

func validSchema() *flowcontrol.FlowSchema {
	return &flowcontrol.FlowSchema{
		ObjectMeta: validMetadata(),
		Spec: flowcontrol.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrol.PriorityLevelConfigurationReference{Name: "level"},
			MatchingPrecedence:         7,
		},
		Status: flowcontrol.FlowSchemaStatus{Conditions: []flowcontrol.FlowSchemaCondition{{Type: "Old", Status: flowcontrol.ConditionTrue}}},
	}
}

func validLevel() *flowcontrol.PriorityLevelConfiguration {
	return &flowcontrol.PriorityLevelConfiguration{
		ObjectMeta: validMetadata(),
		Spec: flowcontrol.PriorityLevelConfigurationSpec{
			Type: flowcontrol.PriorityLevelEnablementLimited,
			Limited: &flowcontrol.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: new(int32(7)),
				LendablePercent:          new(int32(0)),
				LimitResponse:            flowcontrol.LimitResponse{Type: flowcontrol.LimitResponseTypeReject},
			},
		},
		Status: flowcontrol.PriorityLevelConfigurationStatus{Conditions: []flowcontrol.PriorityLevelConfigurationCondition{{Type: "Old", Status: flowcontrol.ConditionTrue}}},
	}
}

func validMetadata() metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: "valid", ResourceVersion: "3", Generation: 4, Labels: map[string]string{"old": "yes"}}
}

func TestAnEmptyListInsteadOfNoneIsNoChangeOfTheSpec(t *testing.T) {
	forSpec, _ := newStrategies(flowSchemas(clock.RealClock{}, nil), install.NewScheme(), rest.DeleteDependents)
	updated := validSchema()
	updated.Spec.Rules = []flowcontrol.PolicyRulesWithSubjects{}
	forSpec.PrepareForUpdate(t.Context(), updated, validSchema())
	require.EqualValues(t, 4, updated.Generation)
}
