package lint

import (
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// covers tells whether a list of a rule holds the value, which may be the
// wildcard itself.
func covers(list []string, value string) bool {
	return isAll(list) || slices.Contains(list, value)
}

// meet tells whether two lists have a value in common.
func meet(a, b []string) bool {
	switch {
	case len(a) == 0 || len(b) == 0:
		return false
	case isAll(a) || isAll(b):
		return true
	default:
		return slices.ContainsFunc(a, func(value string) bool { return slices.Contains(b, value) })
	}
}

func isAll(list []string) bool { return len(list) == 1 && list[0] == all }

// A URL of a rule means the path itself and what is below it.

// urlCovers tells whether every path of b is one of a.
func urlCovers(a, b string) bool {
	return a == all || a == b || strings.HasPrefix(b, below(a))
}

// urlsMeet tells whether some path is of a and of b.
func urlsMeet(a, b string) bool {
	return a == all || b == all || a == b ||
		strings.HasPrefix(below(a), below(b)) || strings.HasPrefix(below(b), below(a))
}

// below is the prefix of the paths below a URL.
func below(url string) string {
	prefix := strings.TrimSuffix(url, all)
	if !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	return prefix
}

func resourceRulesMeet(a, b *flowcontrol.ResourcePolicyRule) bool {
	return meet(a.Verbs, b.Verbs) && meet(a.APIGroups, b.APIGroups) && meet(a.Resources, b.Resources) &&
		(a.ClusterScope && b.ClusterScope || meet(a.Namespaces, b.Namespaces))
}

func nonResourceRulesMeet(a, b *flowcontrol.NonResourcePolicyRule) bool {
	return meet(a.Verbs, b.Verbs) && slices.ContainsFunc(a.NonResourceURLs, func(url string) bool {
		return slices.ContainsFunc(b.NonResourceURLs, func(other string) bool { return urlsMeet(url, other) })
	})
}
