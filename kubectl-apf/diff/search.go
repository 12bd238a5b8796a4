package diff

import (
	"maps"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// maxCombinations bounds the combinations that are classified.
const maxCombinations = 1 << 19

// versions are a schema before and after; nil where it is not enforced.
type versions struct {
	before, after *flowcontrolv1.FlowSchema
}

// changing returns the schemas that requests can move to or from, by name.
func (c *Comparison) changing() []versions {
	var all []versions
	for _, name := range c.schemaNames() {
		v := versions{enforced(c.before, name), enforced(c.after, name)}
		if v.before == nil && v.after == nil {
			continue
		}
		if v.before == nil || v.after == nil || !equality.Semantic.DeepEqual(&v.before.Spec, &v.after.Spec) {
			all = append(all, v)
		}
	}
	return all
}

// schemaNames returns the names of the schemas of both sides, sorted.
func (c *Comparison) schemaNames() []string {
	names := maps.Clone(c.before.schemas)
	maps.Copy(names, c.after.schemas)
	return slices.Sorted(maps.Keys(names))
}

// enforced returns a schema; nil if it does not exist or its level does not.
func enforced(s *side, name string) *flowcontrolv1.FlowSchema {
	if schema := s.schemas[name]; schema != nil && s.enforces(schema) {
		return schema
	}
	return nil
}

// combination has the numbers of the values of a request. The last two are -1 for a path,
// which is the second.
type combination [4]int

// search classifies the combinations of rules on both sides.
type search struct {
	before, after *side
	moves         moves
	// tries counts classifications, repetitions included, up to limit.
	tries, limit int

	// The following is of one requester at a time: only values in the rules that match the
	// requester matter.
	requester  *requester
	vocabulary *vocabulary
	// seen are the combinations that are classified: rules have some in common.
	seen map[combination]bool
}

// run classifies the combinations of the schemas, and returns false if there are too
// many.
func (s *search) run(changing []versions) bool {
	rules := rulesOf(s.before, s.after)
	var changed []*flowcontrolv1.PolicyRulesWithSubjects
	for _, v := range changing {
		changed = append(changed, rulesIn(v.before, v.after)...)
	}
	for _, r := range requestersIn(rules) {
		theirs := matching(changed, &r)
		if len(theirs) == 0 {
			continue
		}
		s.requester, s.vocabulary, s.seen = &r, newVocabulary(matching(rules, &r)), map[combination]bool{}
		for _, rule := range theirs {
			if !s.runRule(rule) {
				return false
			}
		}
	}
	return true
}

// rulesOf returns the rules of all enforced schemas.
func rulesOf(sides ...*side) []*flowcontrolv1.PolicyRulesWithSubjects {
	var rules []*flowcontrolv1.PolicyRulesWithSubjects
	for _, s := range sides {
		for _, name := range slices.Sorted(maps.Keys(s.schemas)) {
			rules = append(rules, rulesIn(enforced(s, name))...)
		}
	}
	return rules
}

// rulesIn returns the rules of schemas, which may be nil.
func rulesIn(schemas ...*flowcontrolv1.FlowSchema) []*flowcontrolv1.PolicyRulesWithSubjects {
	var rules []*flowcontrolv1.PolicyRulesWithSubjects
	for _, schema := range schemas {
		if schema == nil {
			continue
		}
		for i := range schema.Spec.Rules {
			rules = append(rules, &schema.Spec.Rules[i])
		}
	}
	return rules
}

// matching returns the rules with a subject that matches the requester.
func matching(rules []*flowcontrolv1.PolicyRulesWithSubjects, r *requester) []*flowcontrolv1.PolicyRulesWithSubjects {
	var found []*flowcontrolv1.PolicyRulesWithSubjects
	for _, rule := range rules {
		for i := range rule.Subjects {
			if matches(&rule.Subjects[i], r) {
				found = append(found, rule)
				break
			}
		}
	}
	return found
}

func (s *search) runRule(rule *flowcontrolv1.PolicyRulesWithSubjects) bool {
	for i := range rule.ResourceRules {
		if !s.runResources(&rule.ResourceRules[i]) {
			return false
		}
	}
	v := s.vocabulary
	for i := range rule.NonResourceRules {
		r := &rule.NonResourceRules[i]
		paths := v.pathsCovered(r.NonResourceURLs)
		for _, verb := range v.verbs.of(r.Verbs) {
			for _, path := range paths {
				if !s.try(combination{verb, path, -1, -1}) {
					return false
				}
			}
		}
	}
	return true
}

func (s *search) runResources(rule *flowcontrolv1.ResourcePolicyRule) bool {
	v := s.vocabulary
	namespaces := v.namespaces.of(rule.Namespaces)
	if rule.ClusterScope {
		namespaces = append(namespaces, len(v.namespaces.list)) // no namespace
	}
	groups, resources := v.groups.of(rule.APIGroups), v.resources.of(rule.Resources)
	for _, verb := range v.verbs.of(rule.Verbs) {
		for _, group := range groups {
			for _, resource := range resources {
				for _, namespace := range namespaces {
					if !s.try(combination{verb, group, resource, namespace}) {
						return false
					}
				}
			}
		}
	}
	return true
}

// try classifies a combination, and returns false if there are too many.
func (s *search) try(c combination) bool {
	if s.tries == s.limit {
		return false
	}
	s.tries++
	if s.seen[c] {
		return true
	}
	s.seen[c] = true
	s.moves.checked++
	a := s.attributes(c)
	r := route{s.before.classify(&a), s.after.classify(&a)}
	if r.from != r.to {
		s.moves.add(r, s.kindOf(c, &a))
	}
	return true
}

func (s *search) attributes(c combination) flow.Attributes {
	v := s.vocabulary
	a := flow.Attributes{User: s.requester.user, Groups: s.requester.groups, Verb: v.verbs.list[c[0]]}
	if c[2] < 0 {
		a.Path = v.paths.list[c[1]]
		return a
	}
	a.IsResourceRequest, a.APIGroup = true, v.groups.list[c[1]]
	a.Resource, a.Subresource, _ = strings.Cut(v.resources.list[c[2]], "/")
	if c[3] < len(v.namespaces.list) {
		a.Namespace = v.namespaces.list[c[3]]
	}
	return a
}

// kindOf returns what is shown of a combination.
func (s *search) kindOf(c combination, a *flow.Attributes) kind {
	k := kind{user: s.requester.label, verb: shown(a.Verb), resource: shown(resourceOf(a)), namespace: shown(a.Namespace)}
	if a.IsResourceRequest {
		v := s.vocabulary
		k.unlikely = !v.together[[2]string{a.APIGroup, v.resources.list[c[2]]}]
	}
	return k
}

// shown returns how a value is shown.
func shown(value string) string { return strings.ReplaceAll(value, other, shownOther) }
