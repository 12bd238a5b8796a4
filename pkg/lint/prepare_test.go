package lint

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

func TestRejectedObjectsAreDescribedWithoutGo(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*flowcontrolv1.FlowSchema)
	}{
		{"a whole spec", func(s *flowcontrolv1.FlowSchema) { s.Name, s.Spec.MatchingPrecedence = "catch-all", 9999 }},
		{"a list", func(s *flowcontrolv1.FlowSchema) {
			s.Spec.Rules[0].ResourceRules[0].APIGroups = []string{"*", "apps"}
		}},
		{"a number", func(s *flowcontrolv1.FlowSchema) { s.Spec.MatchingPrecedence = 10001 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			schema := everything("mine", 1000, anAccount("team", "worker"))
			c.change(&schema)
			found := rejectedSchema(&schema, nil)
			require.NotEmpty(t, found)
			for _, syntax := range []string{"flowcontrol.", "[]string", "(*", "0x", "nil"} {
				assert.NotContains(t, found[0].Message, syntax)
			}
		})
	}
}
