package lint

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

func resources(rules ...flowcontrolv1.ResourcePolicyRule) flowcontrolv1.PolicyRulesWithSubjects {
	return flowcontrolv1.PolicyRulesWithSubjects{Subjects: []flowcontrolv1.Subject{aUser("alice")}, ResourceRules: rules}
}

func urls(verb string, urls ...string) flowcontrolv1.PolicyRulesWithSubjects {
	return flowcontrolv1.PolicyRulesWithSubjects{
		Subjects:         []flowcontrolv1.Subject{aUser("alice")},
		NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{verb}, NonResourceURLs: urls}},
	}
}

func TestRulesCoverAndIntersect(t *testing.T) {
	wild := []string{wildcard}
	pods := flowcontrolv1.ResourcePolicyRule{Verbs: []string{"get", "list"}, APIGroups: []string{""}, Resources: []string{"pods"}, Namespaces: []string{"ns"}}
	with := func(change func(*flowcontrolv1.ResourcePolicyRule)) flowcontrolv1.PolicyRulesWithSubjects {
		rule := pods
		change(&rule)
		return resources(rule)
	}
	for _, test := range []struct {
		name             string
		first, second    flowcontrolv1.PolicyRulesWithSubjects
		shadows, overlap bool
	}{
		{"the same rule", resources(pods), resources(pods), true, true},
		{"all verbs", with(func(r *flowcontrolv1.ResourcePolicyRule) { r.Verbs = wild }), resources(pods), true, true},
		{"one of the verbs", with(func(r *flowcontrolv1.ResourcePolicyRule) { r.Verbs = []string{"get"} }), resources(pods), false, true},
		{"another verb", with(func(r *flowcontrolv1.ResourcePolicyRule) { r.Verbs = []string{"watch"} }), resources(pods), false, false},
		{"a rule for each verb", resources(
			flowcontrolv1.ResourcePolicyRule{Verbs: []string{"list"}, APIGroups: wild, Resources: wild, Namespaces: wild},
			flowcontrolv1.ResourcePolicyRule{Verbs: []string{"get"}, APIGroups: wild, Resources: wild, Namespaces: wild},
		), resources(pods), true, true},
		{"some verbs of all", resources(pods), with(func(r *flowcontrolv1.ResourcePolicyRule) { r.Verbs = wild }), false, true},
		{"another API group", with(func(r *flowcontrolv1.ResourcePolicyRule) { r.APIGroups = []string{"apps"} }), resources(pods), false, false},
		{"all resources, which include subresources", with(func(r *flowcontrolv1.ResourcePolicyRule) { r.Resources = wild }), with(func(r *flowcontrolv1.ResourcePolicyRule) { r.Resources = []string{"pods/status"} }), true, true},
		{"a resource and its subresource", resources(pods), with(func(r *flowcontrolv1.ResourcePolicyRule) { r.Resources = []string{"pods/status"} }), false, false},
		{"a namespace and the cluster scope", resources(pods), with(func(r *flowcontrolv1.ResourcePolicyRule) { r.ClusterScope, r.Namespaces = true, nil }), false, false},
		{"all namespaces and the cluster scope", with(func(r *flowcontrolv1.ResourcePolicyRule) { r.Namespaces = wild }), with(func(r *flowcontrolv1.ResourcePolicyRule) { r.ClusterScope, r.Namespaces = true, nil }), false, false},
		{"all namespaces without the cluster scope", with(func(r *flowcontrolv1.ResourcePolicyRule) { r.Namespaces = wild }), with(func(r *flowcontrolv1.ResourcePolicyRule) { r.ClusterScope = true }), false, true},
		{"the cluster scope in both", with(func(r *flowcontrolv1.ResourcePolicyRule) { r.ClusterScope = true }), with(func(r *flowcontrolv1.ResourcePolicyRule) { r.ClusterScope, r.Namespaces = true, nil }), true, true},
		{"resources and URLs", resources(pods), urls("*", "*"), false, false},
		{"a URL and what is below it", urls("get", "/healthz"), urls("get", "/healthz/etcd"), true, true},
		{"a URL and a pattern of what is below it", urls("get", "/healthz"), urls("get", "/healthz/*"), true, true},
		{"a pattern and the URL above it", urls("get", "/healthz/*"), urls("get", "/healthz"), false, true},
		{"a pattern and a URL below it", urls("get", "/apis/*"), urls("get", "/apis/apps"), true, true},
		{"a URL with the same beginning", urls("get", "/api"), urls("get", "/apis"), false, false},
		{"all URLs", urls("get", "*"), urls("get", "/healthz", "/apis/*"), true, true},
		{"another verb of a URL", urls("post", "*"), urls("get", "/healthz"), false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			first, second := schemaOf("first", 5, test.first), schemaOf("second", 5, test.second)
			both := []flowcontrolv1.FlowSchema{first, second}
			yes := func(string) bool { return true }
			require.Equal(t, test.shadows, shadowedBy(&second, comparedOf(pointers(both)), yes) != nil)
			require.Equal(t, test.overlap, tiedWith(&second, comparedOf(pointers(both))) != nil)
			require.Equal(t, test.overlap, tiedWith(&first, comparedOf(pointers(both))) != nil)
			require.Empty(t, shadowedBy(&first, comparedOf(pointers(both)), yes), "it comes first")
		})
	}
}

func TestSchemasOfOtherPrecedenceAreNotTied(t *testing.T) {
	schema := everything("new", 5, aUser("alice"))
	require.Empty(t, tiedWith(&schema, comparedOf(pointers([]flowcontrolv1.FlowSchema{everything("other", 6, aUser("alice")), everything("one-more", 4, aUser("alice"))}))))
}

func TestSearchStopsAtMaxTries(t *testing.T) {
	rule := flowcontrolv1.ResourcePolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Namespaces: []string{"*"}}
	for i := range maxTries + 1 {
		rule.Verbs = append(rule.Verbs, fmt.Sprint(i))
	}
	schema := schemaOf("new", 5, resources(rule))
	first := []flowcontrolv1.FlowSchema{everything("first", 4, aUser("alice"))}
	require.Empty(t, shadowedBy(&schema, comparedOf(pointers(first)), isPresent))
	schema.Spec.Rules[0].ResourceRules[0].Verbs = rule.Verbs[1:]
	require.Len(t, shadowedBy(&schema, comparedOf(pointers(first)), isPresent), 1)
}
