package lint

import (
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

// wildcard covers everything in each list of a rule. Validation admits it only
// as the single element.
const wildcard = "*"

// tuple is one value, or the wildcard, in each place of a rule.
type tuple struct {
	users userSet
	verb  string
	// url is empty for resource requests.
	url string
	// resource may name a subresource. clusterScope selects requests without a
	// namespace; namespace is unused if it is set.
	apiGroup, resource, namespace string
	clusterScope                  bool
}

// forEachTuple calls yield with each tuple of the schema until it returns false.
func forEachTuple(schema *flowcontrolv1.FlowSchema, yield func(tuple) bool) {
	for i := range schema.Spec.Rules {
		rule := &schema.Spec.Rules[i]
		for _, users := range userSetsOf(rule.Subjects) {
			for j := range rule.ResourceRules {
				if !forEachResourceTuple(users, &rule.ResourceRules[j], yield) {
					return
				}
			}
			for j := range rule.NonResourceRules {
				if !forEachURLTuple(users, &rule.NonResourceRules[j], yield) {
					return
				}
			}
		}
	}
}

func forEachResourceTuple(users userSet, rule *flowcontrolv1.ResourcePolicyRule, yield func(tuple) bool) bool {
	for _, verb := range rule.Verbs {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				t := tuple{users: users, verb: verb, apiGroup: group, resource: resource, clusterScope: true}
				if rule.ClusterScope && !yield(t) {
					return false
				}
				t.clusterScope = false
				for _, t.namespace = range rule.Namespaces {
					if !yield(t) {
						return false
					}
				}
			}
		}
	}
	return true
}

func forEachURLTuple(users userSet, rule *flowcontrolv1.NonResourcePolicyRule, yield func(tuple) bool) bool {
	for _, verb := range rule.Verbs {
		for _, url := range rule.NonResourceURLs {
			if !yield(tuple{users: users, verb: verb, url: url}) {
				return false
			}
		}
	}
	return true
}

// meet returns the tuple of the requests of both, and false if there are surely none. It
// is too large if the users of neither include the users of the other.
func (t tuple) meet(other tuple) (tuple, bool) {
	if (t.url == "") != (other.url == "") || t.clusterScope != other.clusterScope || !t.users.surelyIntersects(other.users) {
		return tuple{}, false
	}
	common := t
	if t.users.covers(other.users) {
		common.users = other.users
	}
	if t.url != "" {
		if !urlsIntersect(t.url, other.url) {
			return tuple{}, false
		}
		if urlCovers(t.url, other.url) {
			common.url = other.url
		}
	}
	ok := narrow(&common.verb, other.verb) && narrow(&common.apiGroup, other.apiGroup) && narrow(&common.resource, other.resource) &&
		narrow(&common.namespace, other.namespace)
	return common, ok
}

// narrow replaces a wildcard by the other value. It reports whether a value is left.
func narrow(value *string, other string) bool {
	if *value == wildcard {
		*value = other
	}
	return *value == other || other == wildcard
}

// ruleCovers reports whether the rule matches every request of the tuple.
func ruleCovers(rule *flowcontrolv1.PolicyRulesWithSubjects, t *tuple) bool {
	return subjectsCover(rule.Subjects, t.users) && requestsCover(rule, t)
}

func subjectsCover(subjects []flowcontrolv1.Subject, users userSet) bool {
	for i := range subjects {
		if set, ok := userSetOf(&subjects[i]); ok && set.covers(users) {
			return true
		}
	}
	return false
}

func requestsCover(rule *flowcontrolv1.PolicyRulesWithSubjects, t *tuple) bool {
	if t.url != "" {
		return slices.ContainsFunc(rule.NonResourceRules, func(r flowcontrolv1.NonResourcePolicyRule) bool {
			return listCovers(r.Verbs, t.verb) && slices.ContainsFunc(r.NonResourceURLs, func(url string) bool { return urlCovers(url, t.url) })
		})
	}
	return slices.ContainsFunc(rule.ResourceRules, func(r flowcontrolv1.ResourcePolicyRule) bool {
		return listCovers(r.Verbs, t.verb) && listCovers(r.APIGroups, t.apiGroup) && listCovers(r.Resources, t.resource) &&
			(t.clusterScope && r.ClusterScope || !t.clusterScope && listCovers(r.Namespaces, t.namespace))
	})
}

func resourceRulesIntersect(a, b *flowcontrolv1.ResourcePolicyRule) bool {
	return listsIntersect(a.Verbs, b.Verbs) && listsIntersect(a.APIGroups, b.APIGroups) && listsIntersect(a.Resources, b.Resources) &&
		(a.ClusterScope && b.ClusterScope || listsIntersect(a.Namespaces, b.Namespaces))
}

func nonResourceRulesIntersect(a, b *flowcontrolv1.NonResourcePolicyRule) bool {
	return listsIntersect(a.Verbs, b.Verbs) && slices.ContainsFunc(a.NonResourceURLs, func(url string) bool {
		return slices.ContainsFunc(b.NonResourceURLs, func(other string) bool { return urlsIntersect(url, other) })
	})
}

// listCovers reports whether a list covers the value, which may be the wildcard.
func listCovers(list []string, value string) bool {
	return isWildcard(list) || slices.Contains(list, value)
}

// listsIntersect reports whether two lists have a value in common.
func listsIntersect(a, b []string) bool {
	switch {
	case len(a) == 0 || len(b) == 0:
		return false
	case isWildcard(a) || isWildcard(b):
		return true
	default:
		return slices.ContainsFunc(a, func(value string) bool { return slices.Contains(b, value) })
	}
}

func isWildcard(list []string) bool { return len(list) == 1 && list[0] == wildcard }

// urlCovers reports whether a matches every path that b matches.
func urlCovers(a, b string) bool {
	return a == wildcard || a == b || strings.HasPrefix(b, urlPrefix(a))
}

// urlsIntersect reports whether some path matches a and b.
func urlsIntersect(a, b string) bool {
	return a == wildcard || b == wildcard || a == b ||
		strings.HasPrefix(urlPrefix(a), urlPrefix(b)) || strings.HasPrefix(urlPrefix(b), urlPrefix(a))
}

// urlPrefix is the prefix of the paths below a URL, all of which it matches.
func urlPrefix(url string) string {
	prefix := strings.TrimSuffix(url, wildcard)
	if !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	return prefix
}
