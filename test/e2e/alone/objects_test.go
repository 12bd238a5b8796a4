package alone

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (s *site) createSchema(t *testing.T, schema *flowcontrolv1.FlowSchema) *flowcontrolv1.FlowSchema {
	t.Helper()
	created, err := s.schemas().Create(t.Context(), schema, metav1.CreateOptions{})
	require.NoError(t, err)
	return created
}

func (s *site) createLevel(t *testing.T, level *flowcontrolv1.PriorityLevelConfiguration) *flowcontrolv1.PriorityLevelConfiguration {
	t.Helper()
	created, err := s.levels().Create(t.Context(), level, metav1.CreateOptions{})
	require.NoError(t, err)
	return created
}

func toJSON(t *testing.T, object any) string {
	t.Helper()
	text, err := json.Marshal(object)
	require.NoError(t, err)
	return string(text)
}
