package classify

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

func TestASchemaHasNoMismatchIffTheIndexWouldMatchItAlone(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 31))
	matched, unmatched := 0, 0
	for range lane.Pick(2500, 25_000) {
		schema := randomSchemas(random, 1)[0]
		index := New([]rules.Schema{schema})
		for range 20 {
			a := randomRequest(random)
			mismatch, differs := schema.Mismatch(a)
			place, matches := schema.Match(a)
			require.Equal(t, index.Match(a) == 0, matches, "%+v %+v", schema, *a)
			require.NotEqual(t, differs, matches, "%+v %+v", schema, *a)
			if matches {
				matched++
				require.Empty(t, mismatch)
				requirePlaceAlone(t, schema, place, a)
				continue
			}
			unmatched++
			requireEveryRule(t, schema, mismatch)
		}
	}
	assert.Greater(t, matched, 500)
	assert.Greater(t, unmatched, 1000)
}

// requirePlaceAlone requires that the subject and the policy rule at the place match
// without the others.
func requirePlaceAlone(t *testing.T, schema rules.Schema, place rules.Place, a *flow.Attributes) {
	t.Helper()
	rule := schema.Rules[place.Rule]
	alone := rules.Rule{Subjects: []rules.Subject{rule.Subjects[place.Subject]}}
	if a.IsResourceRequest {
		alone.ResourceRules = rule.ResourceRules[place.Policy : place.Policy+1]
	} else {
		alone.NonResourceRules = rule.NonResourceRules[place.Policy : place.Policy+1]
	}
	require.Zero(t, New([]rules.Schema{{Rules: []rules.Rule{alone}}}).Match(a), "%+v %+v", alone, *a)
}

// requireEveryRule requires that the mismatch has a reason for each rule, in order.
func requireEveryRule(t *testing.T, schema rules.Schema, mismatch rules.Mismatch) {
	t.Helper()
	next := 0
	for _, one := range mismatch {
		require.GreaterOrEqual(t, one.Rule, next-1)
		require.LessOrEqual(t, one.Rule, next)
		next = one.Rule + 1
	}
	require.Equal(t, len(schema.Rules), next)
}

func TestMismatchIsTheFirstPartThatDiffers(t *testing.T) {
	pods := rules.ResourceRule{Verbs: []string{"get", "list"}, APIGroups: []string{""}, Resources: []string{"pods"}, Namespaces: []string{"default"}}
	health := rules.NonResourceRule{Verbs: []string{"get"}, URLs: []string{"/healthz/*"}}
	rule := rules.Rule{Subjects: []rules.Subject{{Kind: rules.User, Name: "alice"}}, ResourceRules: []rules.ResourceRule{pods}, NonResourceRules: []rules.NonResourceRule{health}}
	request := flow.Attributes{User: "alice", Verb: "get", IsResourceRequest: true, Resource: "pods", Namespace: "default"}
	for name, c := range map[string]struct {
		rule   rules.Rule
		change func(*flow.Attributes)
		want   rules.RuleMismatch
	}{
		"another user":            {rule, func(a *flow.Attributes) { a.User, a.Verb = "bob", "watch" }, rules.RuleMismatch{Policy: -1, Part: rules.Subjects}},
		"no rules of the kind":    {rules.Rule{Subjects: rule.Subjects}, func(*flow.Attributes) {}, rules.RuleMismatch{Policy: -1, Part: rules.PolicyRules}},
		"another verb":            {rule, func(a *flow.Attributes) { a.Verb, a.Resource = "watch", "nodes" }, rules.RuleMismatch{Part: rules.Verbs, Want: pods.Verbs, Got: "watch"}},
		"another API group":       {rule, func(a *flow.Attributes) { a.APIGroup, a.Resource = "apps", "nodes" }, rules.RuleMismatch{Part: rules.APIGroups, Want: pods.APIGroups, Got: "apps"}},
		"a subresource":           {rule, func(a *flow.Attributes) { a.Subresource, a.Namespace = "log", "" }, rules.RuleMismatch{Part: rules.Resources, Want: pods.Resources, Got: "pods/log"}},
		"another namespace":       {rule, func(a *flow.Attributes) { a.Namespace = "kube-system" }, rules.RuleMismatch{Part: rules.Namespaces, Want: pods.Namespaces, Got: "kube-system"}},
		"no namespace":            {rule, func(a *flow.Attributes) { a.Namespace = "" }, rules.RuleMismatch{Part: rules.ClusterScope}},
		"another path":            {rule, func(a *flow.Attributes) { a.IsResourceRequest, a.Path = false, "/livez" }, rules.RuleMismatch{Part: rules.URLs, Want: health.URLs, Got: "/livez"}},
		"another verb for a path": {rule, func(a *flow.Attributes) { a.IsResourceRequest, a.Path, a.Verb = false, "/livez", "post" }, rules.RuleMismatch{Part: rules.Verbs, Want: health.Verbs, Got: "post"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := request
			c.change(&a)
			mismatch, differs := (&rules.Schema{Rules: []rules.Rule{c.rule}}).Mismatch(&a)
			assert.True(t, differs)
			assert.Equal(t, rules.Mismatch{c.want}, mismatch)
		})
	}
}

func TestEachPolicyRuleOfAMatchingSubjectHasItsReason(t *testing.T) {
	schema := rules.Schema{Rules: []rules.Rule{
		{Subjects: []rules.Subject{{Kind: rules.Group, Name: "admins"}}, ResourceRules: []rules.ResourceRule{{}, {}}},
		{Subjects: []rules.Subject{{Kind: rules.User, Name: "bob"}, {Kind: rules.User, Name: "alice"}}, ResourceRules: []rules.ResourceRule{
			{Verbs: all, APIGroups: []string{"apps"}},
			{Verbs: []string{"create"}},
		}},
	}}
	a := &flow.Attributes{User: "alice", Verb: "get", IsResourceRequest: true, Resource: "pods"}
	mismatch, differs := schema.Mismatch(a)
	assert.True(t, differs)
	assert.Equal(t, rules.Mismatch{
		{Rule: 0, Policy: -1, Part: rules.Subjects},
		{Rule: 1, Policy: 0, Part: rules.APIGroups, Want: []string{"apps"}},
		{Rule: 1, Policy: 1, Part: rules.Verbs, Want: []string{"create"}, Got: "get"},
	}, mismatch)

	schema.Rules[1].ResourceRules = append(schema.Rules[1].ResourceRules, rules.ResourceRule{Verbs: all, APIGroups: all, Resources: all, ClusterScope: true})
	place, matches := schema.Match(a)
	assert.True(t, matches)
	assert.Equal(t, rules.Place{Rule: 1, Subject: 1, Policy: 2}, place)

	mismatch, differs = (&rules.Schema{}).Mismatch(a)
	assert.True(t, differs)
	assert.Empty(t, mismatch)
}
