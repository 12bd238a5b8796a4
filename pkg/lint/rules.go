package lint

import (
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// atom is a part of what a schema matches: one value, or the wildcard, in each
// place of a rule.
type atom struct {
	who  who
	verb string
	// url is set if the atom is not about a resource.
	url string
	// resource may name a subresource. clusterScope means requests without a
	// namespace; if it is set, namespace does not count.
	apiGroup, resource, namespace string
	clusterScope                  bool
}

// cut calls yield with each atom of the schema until it says false.
func cut(schema *flowcontrol.FlowSchema, yield func(atom) bool) {
	for i := range schema.Spec.Rules {
		rule := &schema.Spec.Rules[i]
		for _, who := range people(rule.Subjects) {
			for j := range rule.ResourceRules {
				if !cutResources(who, &rule.ResourceRules[j], yield) {
					return
				}
			}
			for j := range rule.NonResourceRules {
				if !cutURLs(who, &rule.NonResourceRules[j], yield) {
					return
				}
			}
		}
	}
}

// people tells whom the subjects mean. Everybody comes in two halves, which
// other schemas may take one by one.
func people(subjects []flowcontrol.Subject) []who {
	var sets []who
	for i := range subjects {
		switch set, ok := whoIs(&subjects[i]); {
		case ok && set.kind == everybody:
			sets = append(sets, who{kind: authenticated}, who{kind: anonymous})
		case ok:
			sets = append(sets, set)
		}
	}
	return sets
}

func cutResources(who who, rule *flowcontrol.ResourcePolicyRule, yield func(atom) bool) bool {
	for _, verb := range rule.Verbs {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				part := atom{who: who, verb: verb, apiGroup: group, resource: resource, clusterScope: true}
				if rule.ClusterScope && !yield(part) {
					return false
				}
				part.clusterScope = false
				for _, part.namespace = range rule.Namespaces {
					if !yield(part) {
						return false
					}
				}
			}
		}
	}
	return true
}

func cutURLs(who who, rule *flowcontrol.NonResourcePolicyRule, yield func(atom) bool) bool {
	for _, verb := range rule.Verbs {
		for _, url := range rule.NonResourceURLs {
			if !yield(atom{who: who, verb: verb, url: url}) {
				return false
			}
		}
	}
	return true
}

// takes tells whether one rule of the schema matches every request of the atom.
func takes(schema *flowcontrol.FlowSchema, a *atom) bool {
	for i := range schema.Spec.Rules {
		rule := &schema.Spec.Rules[i]
		if subjectsCover(rule.Subjects, a.who) && rulesCover(rule, a) {
			return true
		}
	}
	return false
}

func subjectsCover(subjects []flowcontrol.Subject, users who) bool {
	for i := range subjects {
		if set, ok := whoIs(&subjects[i]); ok && set.covers(users) {
			return true
		}
	}
	return false
}

func rulesCover(rule *flowcontrol.PolicyRulesWithSubjects, a *atom) bool {
	if a.url != "" {
		return slices.ContainsFunc(rule.NonResourceRules, func(r flowcontrol.NonResourcePolicyRule) bool {
			return covers(r.Verbs, a.verb) && slices.ContainsFunc(r.NonResourceURLs, func(url string) bool { return urlCovers(url, a.url) })
		})
	}
	return slices.ContainsFunc(rule.ResourceRules, func(r flowcontrol.ResourcePolicyRule) bool {
		return covers(r.Verbs, a.verb) && covers(r.APIGroups, a.apiGroup) && covers(r.Resources, a.resource) &&
			(a.clusterScope && r.ClusterScope || !a.clusterScope && covers(r.Namespaces, a.namespace))
	})
}
