package classify

import (
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// scan is the reference implementation. It tries the schemas in order and
// returns the index of the first match, or -1.
func scan(schemas []Schema, a *flow.Attributes) int {
	return slices.IndexFunc(schemas, func(s Schema) bool {
		return slices.ContainsFunc(s.Rules, func(r Rule) bool { return r.covers(a) })
	})
}

func (r Rule) covers(a *flow.Attributes) bool {
	if !slices.ContainsFunc(r.Subjects, func(s Subject) bool { return s.covers(a) }) {
		return false
	}
	if a.IsResourceRequest {
		return slices.ContainsFunc(r.ResourceRules, func(r ResourceRule) bool { return r.covers(a) })
	}
	return slices.ContainsFunc(r.NonResourceRules, func(r NonResourceRule) bool { return r.covers(a) })
}

func (s Subject) covers(a *flow.Attributes) bool {
	switch s.Kind {
	case User:
		return s.Name == All || s.Name == a.User
	case Group:
		return s.Name == All || slices.Contains(a.Groups, s.Name)
	case ServiceAccount:
		account := "system:serviceaccount:" + s.Namespace + ":"
		if s.Name == All {
			return strings.HasPrefix(a.User, account)
		}
		return a.User == account+s.Name
	default:
		return false
	}
}

func (r ResourceRule) covers(a *flow.Attributes) bool {
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

func (r NonResourceRule) covers(a *flow.Attributes) bool {
	return listed(r.Verbs, a.Verb) && slices.ContainsFunc(r.URLs, func(url string) bool {
		below := strings.TrimSuffix(url, "*")
		if !strings.HasSuffix(below, "/") {
			below += "/"
		}
		return url == All || url == a.Path || strings.HasPrefix(a.Path, below)
	})
}

func listed(list []string, value string) bool {
	return slices.Equal(list, []string{All}) || slices.Contains(list, value)
}
