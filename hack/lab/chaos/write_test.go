package chaos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/histories"
)

// stored returns the write of a schema that was changed first.
func stored(t *testing.T, change func(*flowcontrolv1.FlowSchema)) Write {
	t.Helper()
	object := &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: schema, ResourceVersion: "7", Annotations: map[string]string{"token": "5"}},
		Spec:       flowcontrolv1.FlowSchemaSpec{PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "level"}},
	}
	change(object)
	write, err := NewWrite(time.Second, histories.Write{Resource: Schemas, Name: schema, Version: 7, Object: object})
	require.NoError(t, err)
	return write
}

func TestASpecIsWhatPeopleWrite(t *testing.T) {
	first := stored(t, func(*flowcontrolv1.FlowSchema) {})
	require.EqualValues(t, 5, first.Token)
	require.Equal(t, "level", first.Level)
	require.Empty(t, first.Dangling)

	status := stored(t, func(s *flowcontrolv1.FlowSchema) {
		s.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "engine"}}
		s.Status.Conditions = []flowcontrolv1.FlowSchemaCondition{{Type: flowcontrolv1.FlowSchemaConditionDangling, Status: flowcontrolv1.ConditionTrue}}
	})
	require.Equal(t, "True", status.Dangling)
	require.Equal(t, first.Spec, status.Spec)
	require.NotEqual(t, first.Content, status.Content)

	spec := stored(t, func(s *flowcontrolv1.FlowSchema) { s.Spec.MatchingPrecedence = 5 })
	require.NotEqual(t, first.Spec, spec.Spec)
	annotated := stored(t, func(s *flowcontrolv1.FlowSchema) { s.Annotations["a"] = "b" })
	require.NotEqual(t, first.Spec, annotated.Spec)
}

func TestADeletionHasNoObject(t *testing.T) {
	write, err := NewWrite(time.Second, histories.Write{Resource: Levels, Name: object, Version: 8})
	require.NoError(t, err)
	require.True(t, write.Deleted)
}

func TestAnObjectWithAnotherTokenIsAnError(t *testing.T) {
	_, err := NewWrite(0, histories.Write{Resource: Levels, Name: object, Object: &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: object, ResourceVersion: "7", Annotations: map[string]string{"token": "none"}},
	}})
	require.ErrorContains(t, err, "token")
}
