package flowcontrol

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/structuredmerge"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/gosyntax"
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

// What a client sends where it may not write has no effect.
func TestAWriteChangesWhatItMayAlone(t *testing.T) {
	forSpec, forStatus := newStrategies(flowSchemas(clock.RealClock{}, nil), install.NewScheme(), rest.DeleteDependents)
	sent := func() *flowcontrol.FlowSchema {
		schema := validSchema()
		schema.Generation, schema.Labels = 99, map[string]string{"new": "yes"}
		schema.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "me"}}
		schema.Spec.MatchingPrecedence = 8
		schema.Status.Conditions[0].Type = "New"
		return schema
	}
	written, want := sent(), sent()
	forSpec.PrepareForCreate(t.Context(), written)
	want.Generation, want.Status = 1, flowcontrol.FlowSchemaStatus{}
	require.Equal(t, want, written, "created")

	written = sent()
	forSpec.PrepareForUpdate(t.Context(), written, validSchema())
	want.Generation, want.Status = 5, validSchema().Status
	require.Equal(t, want, written, "updated")

	written, want = sent(), validSchema()
	forStatus.PrepareForUpdate(t.Context(), written, validSchema())
	want.Status, want.ManagedFields = sent().Status, sent().ManagedFields
	require.Equal(t, want, written, "its status updated")
}

func TestAnEmptyListInsteadOfNoneIsNoChangeOfTheSpec(t *testing.T) {
	forSpec, _ := newStrategies(flowSchemas(clock.RealClock{}, nil), install.NewScheme(), rest.DeleteDependents)
	updated := validSchema()
	updated.Spec.Rules = []flowcontrol.PolicyRulesWithSubjects{}
	forSpec.PrepareForUpdate(t.Context(), updated, validSchema())
	require.EqualValues(t, 4, updated.Generation)
}

func TestAWriteOwnsNoStatusInAnyVersion(t *testing.T) {
	forSpec, forStatus := newStrategies(flowSchemas(clock.RealClock{}, nil), install.NewScheme(), rest.DeleteDependents)
	for _, version := range []structuredmerge.APIVersion{"flowcontrol.apiserver.k8s.io/v1", "flowcontrol.apiserver.k8s.io/v1beta3"} {
		require.Contains(t, forSpec.GetResetFields(), version)
		require.Contains(t, forStatus.GetResetFields(), version)
	}
}

// The library validates metadata before the strategy does.
func TestInvalidOwnersInAnUpdateAreShownInJSON(t *testing.T) {
	forSpec, _ := newStrategies(flowSchemas(clock.RealClock{}, nil), install.NewScheme(), rest.DeleteDependents)
	updated, ctx := validSchema(), request.WithNamespace(t.Context(), metav1.NamespaceNone)
	for _, name := range []string{"one", "two"} {
		updated.OwnerReferences = append(updated.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: "Event", Name: name, UID: "u", Controller: new(true)})
	}
	err := ownersInJSON(rest.BeforeUpdate(forSpec, ctx, updated, validSchema()))
	require.Empty(t, gosyntax.Find(err.Error()))
	var status *apierrors.StatusError
	require.ErrorAs(t, err, &status)
	disallowed := func(name string) string {
		return `Invalid value: {"apiVersion":"v1","kind":"Event","name":"` + name + `","uid":"u","controller":true}: /v1, Kind=Event is disallowed from being an owner`
	}
	found := map[string]int{}
	for _, cause := range status.ErrStatus.Details.Causes {
		require.Empty(t, gosyntax.Find(cause.Message))
		found[cause.Message]++
	}
	require.Len(t, found, 3, "of either owner, and of both")
	require.Equal(t, found[disallowed("one")], found[disallowed("two")])
	require.Equal(t, 1, strings.Count(err.Error(), disallowed("one")))
}
