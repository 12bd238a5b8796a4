package explain

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/objects"
)

func TestReasonsNameTheFieldAndBothValues(t *testing.T) {
	in := input()
	in.Configuration.FlowSchemas = append(in.Configuration.FlowSchemas, objects.Schema("pods-of-ci", "system", 50, flowcontrolv1.PolicyRulesWithSubjects{
		Subjects: []flowcontrolv1.Subject{{Kind: "User", User: &flowcontrolv1.UserSubject{Name: "alice"}}},
		ResourceRules: []flowcontrolv1.ResourcePolicyRule{
			{Verbs: []string{"get", "list"}, APIGroups: []string{""}, Resources: []string{"pods"}, Namespaces: []string{"ci"}},
			{Verbs: []string{"get", "list"}, APIGroups: []string{"apps"}, Resources: []string{"*"}, Namespaces: []string{"*"}},
		},
	}))
	reasonsOf := func(line string) []Reason {
		for _, step := range explained(t, in, line).Trace {
			if step.FlowSchema == "pods-of-ci" {
				return step.Reasons
			}
		}
		return nil
	}
	assert.Equal(t, []Reason{
		{Field: "spec.rules[0].resourceRules[0].namespaces", Want: []string{"ci"}, Got: "x", Message: "x is not ci"},
		{Field: "spec.rules[0].resourceRules[1].apiGroups", Want: []string{"apps"}, Message: `"" is not apps`},
	}, reasonsOf("list pods -n x"))
	assert.Equal(t, []Reason{
		{Field: "spec.rules[0].resourceRules[0].clusterScope", Message: "the request is not limited to a namespace, and clusterScope is false"},
		{Field: "spec.rules[0].resourceRules[1].apiGroups", Want: []string{"apps"}, Message: `"" is not apps`},
	}, reasonsOf("list pods -A"))
	assert.Equal(t, "create is not one of get, list", reasonsOf("create pods -n ci")[0].Message)
	assert.Equal(t, "pods/log is not pods", reasonsOf("get pods/log web -n ci")[0].Message)
	assert.Equal(t, []string{"in the empty list", "one of a, b, c, d, e, f", "one of a, b, c, d, e, f and 1 more"},
		[]string{quoteList(nil), quoteList(strings.Split("abcdef", "")), quoteList(strings.Split("abcdefg", ""))})
	assert.Empty(t, reasonsOf("list pods -n ci"), "it matches")
	assert.Equal(t, "pods-of-ci", explained(t, in, "list pods -n ci").FlowSchema.Name)
}

func TestASchemaWhoseLevelDoesNotExistIsInTheTrace(t *testing.T) {
	in := input()
	everything := *in.Configuration.FlowSchemas[0].Spec.Rules[0].DeepCopy()
	everything.Subjects = []flowcontrolv1.Subject{{Kind: "User", User: &flowcontrolv1.UserSubject{Name: "*"}}}
	in.Configuration.FlowSchemas = append(in.Configuration.FlowSchemas, objects.Schema("dangling", "gone", 3, everything))
	a := explained(t, in, "list pods")
	assert.Equal(t, "global-default", a.FlowSchema.Name)
	require.Equal(t, "probes", a.Trace[1].FlowSchema)
	require.Equal(t, "dangling", a.Trace[2].FlowSchema)
	assert.Equal(t, `it matches, but has no effect: the priority level "gone" does not exist`, a.Trace[2].Reasons[0].Message)
}

func TestARequestThatNoSchemaMatchesGoesToCatchAll(t *testing.T) {
	a := explained(t, withoutDefault(), "list pods")
	assert.Equal(t, "catch-all", a.FlowSchema.Name, "it matches")
	assert.Equal(t, "spec.rules[0].resourceRules[0]", a.FlowSchema.Rule)

	in := input()
	for _, s := range in.Configuration.FlowSchemas {
		s.Spec.Rules = nil
	}
	a = explained(t, in, "list pods")
	assert.Equal(t, "catch-all", a.FlowSchema.Name)
	assert.Empty(t, a.FlowSchema.Rule)
	last := a.Trace[len(a.Trace)-1]
	assert.False(t, last.Matches)
	assert.Equal(t, []Reason{{Field: "spec.rules", Message: "it has no rules"}}, last.Reasons)
	assert.Contains(t, a.Notes, `No flow schema matches the request. The API server treats it as one of "catch-all".`)
}

func TestInvalidObjectsAreNoted(t *testing.T) {
	in := input()
	in.Configuration.Notes = []string{"The total is assumed."}
	in.Configuration.PriorityLevels[2].Spec.Limited = nil
	notes := explained(t, in, "list pods").Notes
	require.Len(t, notes, 2)
	assert.Equal(t, "The total is assumed.", notes[0])
	assert.Contains(t, notes[1], in.Configuration.PriorityLevels[2].Name)
}
