package classify

import (
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// scan is the reference implementation. It tries the schemas in order and
// returns the index of the first match, or -1.
func scan(schemas []*rules.Schema, a *flow.Attributes) int {
	return slices.IndexFunc(schemas, func(s *rules.Schema) bool {
		return slices.ContainsFunc(s.Rules, func(r rules.Rule) bool { return ruleCovers(r, a) })
	})
}

func ruleCovers(r rules.Rule, a *flow.Attributes) bool {
	if !slices.ContainsFunc(r.Subjects, func(s rules.Subject) bool { return subjectCovers(s, a) }) {
		return false
	}
	if a.IsResourceRequest {
		return slices.ContainsFunc(r.ResourceRules, func(r rules.ResourceRule) bool { return resourceRuleCovers(r, a) })
	}
	return slices.ContainsFunc(r.NonResourceRules, func(r rules.NonResourceRule) bool { return nonResourceRuleCovers(r, a) })
}

func subjectCovers(s rules.Subject, a *flow.Attributes) bool {
	switch s.Kind {
	case rules.User:
		return s.Name == rules.All || s.Name == a.User
	case rules.Group:
		return s.Name == rules.All || slices.Contains(a.Groups, s.Name)
	case rules.ServiceAccount:
		account := "system:serviceaccount:" + s.Namespace + ":"
		if s.Name == rules.All {
			return strings.HasPrefix(a.User, account)
		}
		return a.User == account+s.Name
	default:
		return false
	}
}

func resourceRuleCovers(r rules.ResourceRule, a *flow.Attributes) bool {
	resource := a.Resource
	if a.Subresource != "" {
		resource += "/" + a.Subresource
	}
	if !listed(r.Verbs, a.Verb) || !listed(r.APIGroups, a.APIGroup) || !listed(r.Resources, resource) {
		return false
	}
	if a.Namespace == "" {
		return r.ClusterScope
	}
	return listed(r.Namespaces, a.Namespace)
}

func nonResourceRuleCovers(r rules.NonResourceRule, a *flow.Attributes) bool {
	return listed(r.Verbs, a.Verb) && slices.ContainsFunc(r.URLs, func(url string) bool {
		below := strings.TrimSuffix(url, "*")
		if !strings.HasSuffix(below, "/") {
			below += "/"
		}
		return url == rules.All || url == a.Path || strings.HasPrefix(a.Path, below)
	})
}

func listed(list []string, value string) bool {
	return slices.Equal(list, []string{rules.All}) || slices.Contains(list, value)
}
