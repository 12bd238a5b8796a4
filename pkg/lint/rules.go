package lint

import (
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// wildcard covers everything in each list of a rule. Validation admits it only
// as the single element.
const wildcard = rules.All

// tuple is one value, or the wildcard, in each place of a rule.
type tuple struct {
	users rules.Users
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
		for _, users := range usersOfAll(rule.Subjects) {
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

func forEachResourceTuple(users rules.Users, rule *flowcontrolv1.ResourcePolicyRule, yield func(tuple) bool) bool {
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

func forEachURLTuple(users rules.Users, rule *flowcontrolv1.NonResourcePolicyRule, yield func(tuple) bool) bool {
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
	if (t.url == "") != (other.url == "") || t.clusterScope != other.clusterScope || !t.users.SurelyIntersects(other.users) {
		return tuple{}, false
	}
	common := t
	if t.users.Covers(other.users) {
		common.users = other.users
	}
	if t.url != "" {
		if !rules.URLsIntersect(t.url, other.url) {
			return tuple{}, false
		}
		if rules.CoversPath(t.url, other.url) {
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

func requestsCover(rule *flowcontrolv1.PolicyRulesWithSubjects, t *tuple) bool {
	if t.url != "" {
		return slices.ContainsFunc(rule.NonResourceRules, func(r flowcontrolv1.NonResourcePolicyRule) bool {
			return rules.Covers(r.Verbs, t.verb) && slices.ContainsFunc(r.NonResourceURLs, func(url string) bool { return rules.CoversPath(url, t.url) })
		})
	}
	return slices.ContainsFunc(rule.ResourceRules, func(r flowcontrolv1.ResourcePolicyRule) bool {
		return rules.Covers(r.Verbs, t.verb) && rules.Covers(r.APIGroups, t.apiGroup) && rules.Covers(r.Resources, t.resource) &&
			(t.clusterScope && r.ClusterScope || !t.clusterScope && rules.Covers(r.Namespaces, t.namespace))
	})
}

func resourceRulesIntersect(a, b *flowcontrolv1.ResourcePolicyRule) bool {
	return rules.Intersect(a.Verbs, b.Verbs) && rules.Intersect(a.APIGroups, b.APIGroups) && rules.Intersect(a.Resources, b.Resources) &&
		(a.ClusterScope && b.ClusterScope || rules.Intersect(a.Namespaces, b.Namespaces))
}

func nonResourceRulesIntersect(a, b *flowcontrolv1.NonResourcePolicyRule) bool {
	return rules.Intersect(a.Verbs, b.Verbs) && slices.ContainsFunc(a.NonResourceURLs, func(url string) bool {
		return slices.ContainsFunc(b.NonResourceURLs, func(other string) bool { return rules.URLsIntersect(url, other) })
	})
}
