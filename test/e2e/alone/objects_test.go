package alone

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
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

// createLabelled creates count schemas NAME-0, NAME-1, ... with the label
// set=NAME and returns the last.
func (s *site) createLabelled(t *testing.T, name string, count int) *flowcontrolv1.FlowSchema {
	t.Helper()
	var last *flowcontrolv1.FlowSchema
	for i := range count {
		schema := objects.SchemaOf(fmt.Sprintf("%s-%d", name, i), "catch-all")
		schema.Labels = map[string]string{"set": name}
		last = s.createSchema(t, schema)
	}
	return last
}
