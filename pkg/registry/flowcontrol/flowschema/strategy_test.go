package flowschema

import (
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/strategy"
)

func strategies() (specStrategy, statusStrategy) {
	forSpec := specStrategy{ClusterScoped: strategy.New(install.NewScheme(), rest.DeleteDependents)}
	return forSpec, statusStrategy{specStrategy: forSpec}
}

func valid() *flowcontrol.FlowSchema {
	return &flowcontrol.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: "valid", ResourceVersion: "3", Generation: 4, Labels: map[string]string{"old": "yes"}},
		Spec: flowcontrol.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrol.PriorityLevelConfigurationReference{Name: "level"},
			MatchingPrecedence:         7,
		},
		Status: flowcontrol.FlowSchemaStatus{Conditions: []flowcontrol.FlowSchemaCondition{{Type: "Old", Status: flowcontrol.ConditionTrue}}},
	}
}

// changed differs from valid in each field that a client may try to change.
func changed() *flowcontrol.FlowSchema {
	schema := valid()
	schema.Generation = 40
	schema.Labels = map[string]string{"new": "yes"}
	schema.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "new"}}
	schema.Spec.MatchingPrecedence = 8
	schema.Status.Conditions = []flowcontrol.FlowSchemaCondition{{Type: "New", Status: flowcontrol.ConditionTrue}}
	return schema
}

func TestNewSchemaHasNoStatusAndHasGeneration1(t *testing.T) {
	forSpec, _ := strategies()
	created := changed()
	forSpec.PrepareForCreate(t.Context(), created)
	require.EqualValues(t, 1, created.Generation)
	require.Equal(t, flowcontrol.FlowSchemaStatus{}, created.Status)
	require.Equal(t, changed().Spec, created.Spec)
}

func TestUpdateKeepsTheStatusAndIncrementsTheGeneration(t *testing.T) {
	forSpec, _ := strategies()
	updated := changed()
	forSpec.PrepareForUpdate(t.Context(), updated, valid())
	require.EqualValues(t, 5, updated.Generation)
	require.Equal(t, valid().Status, updated.Status)
	require.Equal(t, changed().Spec, updated.Spec)
	require.Equal(t, changed().Labels, updated.Labels)
}

func TestStatusUpdateKeepsTheRest(t *testing.T) {
	_, forStatus := strategies()
	updated := changed()
	forStatus.PrepareForUpdate(t.Context(), updated, valid())
	want := valid()
	want.Status = changed().Status
	want.ManagedFields = changed().ManagedFields
	require.Equal(t, want, updated)
}

func TestWritesAreValidated(t *testing.T) {
	forSpec, forStatus := strategies()
	badSpec, badStatus := valid(), valid()
	badSpec.Spec.PriorityLevelConfiguration.Name = ""
	badStatus.Status.Conditions = []flowcontrol.FlowSchemaCondition{{Type: "Twice"}, {Type: "Twice"}}

	require.Empty(t, forSpec.Validate(t.Context(), valid()))
	require.NotEmpty(t, forSpec.Validate(t.Context(), badSpec))
	require.Empty(t, forSpec.ValidateUpdate(t.Context(), valid(), valid()))
	require.NotEmpty(t, forSpec.ValidateUpdate(t.Context(), badSpec, valid()))
	require.Empty(t, forStatus.ValidateUpdate(t.Context(), valid(), valid()))
	require.NotEmpty(t, forStatus.ValidateUpdate(t.Context(), badStatus, valid()))
}

func TestResetFields(t *testing.T) {
	forSpec, forStatus := strategies()
	v1 := fieldpath.APIVersion(flowcontrolv1.SchemeGroupVersion.String())
	has := func(fields map[fieldpath.APIVersion]*fieldpath.Set, name string) bool {
		return fields[v1].Has(fieldpath.MakePathOrDie(name))
	}
	for name, reset := range map[string][2]bool{"spec": {false, true}, "metadata": {false, true}, "status": {true, false}} {
		require.Equal(t, reset[0], has(forSpec.GetResetFields(), name), "%s in a write of the object", name)
		require.Equal(t, reset[1], has(forStatus.GetResetFields(), name), "%s in a write of the status", name)
	}
}
