package flowcontrol

import (
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/structuredmerge"
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

// change changes the metadata that a client may try to change.
func change(metadata *metav1.ObjectMeta) {
	metadata.Generation = 40
	metadata.Labels = map[string]string{"new": "yes"}
	metadata.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "new"}}
}

// sample has objects of a kind, and how to change and to break them.
type sample[T object] struct {
	kind[T]
	valid                                            func() T
	changeSpec, changeStatus, breakSpec, breakStatus func(T)
	status                                           func(T) any
}

func schemaSample() sample[*flowcontrol.FlowSchema] {
	conditions := func(types ...flowcontrol.FlowSchemaConditionType) (all []flowcontrol.FlowSchemaCondition) {
		for _, one := range types {
			all = append(all, flowcontrol.FlowSchemaCondition{Type: one, Status: flowcontrol.ConditionTrue})
		}
		return all
	}
	return sample[*flowcontrol.FlowSchema]{
		kind: flowSchemas(clock.RealClock{}, nil), valid: validSchema,
		changeSpec:   func(s *flowcontrol.FlowSchema) { s.Spec.MatchingPrecedence = 8 },
		changeStatus: func(s *flowcontrol.FlowSchema) { s.Status.Conditions = conditions("New") },
		breakSpec:    func(s *flowcontrol.FlowSchema) { s.Spec.PriorityLevelConfiguration.Name = "" },
		breakStatus:  func(s *flowcontrol.FlowSchema) { s.Status.Conditions = conditions("Twice", "Twice") },
		status:       func(s *flowcontrol.FlowSchema) any { return s.Status },
	}
}

func levelSample() sample[*flowcontrol.PriorityLevelConfiguration] {
	conditions := func(types ...flowcontrol.PriorityLevelConfigurationConditionType) (all []flowcontrol.PriorityLevelConfigurationCondition) {
		for _, one := range types {
			all = append(all, flowcontrol.PriorityLevelConfigurationCondition{Type: one, Status: flowcontrol.ConditionTrue})
		}
		return all
	}
	return sample[*flowcontrol.PriorityLevelConfiguration]{
		kind: priorityLevels(clock.RealClock{}, nil), valid: validLevel,
		changeSpec: func(l *flowcontrol.PriorityLevelConfiguration) {
			l.Spec.Limited.NominalConcurrencyShares = new(int32(8))
		},
		changeStatus: func(l *flowcontrol.PriorityLevelConfiguration) { l.Status.Conditions = conditions("New") },
		breakSpec:    func(l *flowcontrol.PriorityLevelConfiguration) { l.Spec.Limited = nil },
		breakStatus:  func(l *flowcontrol.PriorityLevelConfiguration) { l.Status.Conditions = conditions("Twice", "Twice") },
		status:       func(l *flowcontrol.PriorityLevelConfiguration) any { return l.Status },
	}
}

// with returns a valid object with changes.
func (s sample[T]) with(changes ...func(T)) T {
	object := s.valid()
	for _, change := range changes {
		change(object)
	}
	return object
}

func TestStrategiesOfFlowSchemas(t *testing.T) { testStrategies(t, schemaSample()) }

func TestStrategiesOfPriorityLevels(t *testing.T) { testStrategies(t, levelSample()) }

// testStrategies tests the strategies of a kind.
func testStrategies[T object](t *testing.T, s sample[T]) {
	forSpec, forStatus := newStrategies(s.kind, install.NewScheme(), rest.DeleteDependents)
	changeMetadata := func(object T) { change(metadata(object)) }
	changed := func() T { return s.with(changeMetadata, s.changeSpec, s.changeStatus) }

	t.Run("a new object has no status and has generation 1", func(t *testing.T) {
		created := changed()
		forSpec.PrepareForCreate(t.Context(), created)
		require.EqualValues(t, 1, metadata(created).Generation)
		require.Equal(t, s.status(s.newObject()), s.status(created))
		require.Equal(t, s.spec(changed()), s.spec(created))
	})
	t.Run("an update keeps the status and counts changes of the spec", func(t *testing.T) {
		updated := changed()
		forSpec.PrepareForUpdate(t.Context(), updated, s.valid())
		require.EqualValues(t, 5, metadata(updated).Generation)
		require.Equal(t, s.status(s.valid()), s.status(updated))
		require.Equal(t, s.spec(changed()), s.spec(updated))
		require.Equal(t, metadata(changed()).Labels, metadata(updated).Labels)
	})
	t.Run("an update of the status keeps the rest, but for managed fields", func(t *testing.T) {
		updated, old := changed(), s.valid()
		forStatus.PrepareForUpdate(t.Context(), updated, old)
		want := s.with(s.changeStatus)
		metadata(want).ManagedFields = metadata(changed()).ManagedFields
		require.Equal(t, want, updated)
		require.Equal(t, s.valid(), old)
	})
	t.Run("writes are validated", func(t *testing.T) {
		badSpec, badStatus := s.with(s.breakSpec), s.with(s.breakStatus)
		require.Empty(t, forSpec.Validate(t.Context(), s.valid()))
		require.NotEmpty(t, forSpec.Validate(t.Context(), badSpec))
		require.Empty(t, forSpec.ValidateUpdate(t.Context(), s.valid(), s.valid()))
		require.NotEmpty(t, forSpec.ValidateUpdate(t.Context(), badSpec, s.valid()))
		require.Empty(t, forStatus.ValidateUpdate(t.Context(), s.valid(), s.valid()))
		require.NotEmpty(t, forStatus.ValidateUpdate(t.Context(), badStatus, s.valid()))
	})
	t.Run("fields that a write does not own", func(t *testing.T) {
		for _, version := range []string{flowcontrolv1.SchemeGroupVersion.String(), flowcontrolv1beta3.SchemeGroupVersion.String()} {
			has := func(fields map[structuredmerge.APIVersion]*structuredmerge.Set, name string) bool {
				return fields[structuredmerge.APIVersion(version)].Has(structuredmerge.MakePathOrDie(name))
			}
			for name, reset := range map[string][2]bool{"spec": {false, true}, "metadata": {false, true}, "status": {true, false}} {
				require.Equal(t, reset[0], has(forSpec.GetResetFields(), name), "%s in a write of the object as %s", name, version)
				require.Equal(t, reset[1], has(forStatus.GetResetFields(), name), "%s in a write of the status as %s", name, version)
			}
		}
		require.Len(t, forSpec.GetResetFields(), 2)
	})
	t.Run("cluster-scoped", func(t *testing.T) {
		require.False(t, forSpec.NamespaceScoped())
		require.Regexp(t, "^base-[a-z0-9]{5}$", forSpec.GenerateName("base-"))
		require.Equal(t, rest.DeleteDependents, forSpec.DefaultGarbageCollectionPolicy(t.Context()))
	})
}

func TestAnEmptyListInsteadOfNoneIsNoChangeOfTheSpec(t *testing.T) {
	forSpec, _ := newStrategies(schemaSample().kind, install.NewScheme(), rest.DeleteDependents)
	updated := validSchema()
	updated.Spec.Rules = []flowcontrol.PolicyRulesWithSubjects{}
	forSpec.PrepareForUpdate(t.Context(), updated, validSchema())
	require.EqualValues(t, 4, updated.Generation)
}
