package diff

import (
	"maps"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/longrunning"
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

// search classifies the combinations of rules on both sides.
type search struct {
	before, after *side
	moves         moves
	// tries counts classifications, repetitions included, up to limit.
	tries, limit int
	longRunning  int
}

// run classifies the combinations of the schemas, and returns false if there are too
// many. Only values in the rules that match a requester tell its requests apart.
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
		values, seen := newVocabulary(matching(rules, &r)), map[combination]bool{} // rules have some in common
		for _, rule := range theirs {
			whole := values.forEach(rule, func(c combination) bool {
				if s.tries == s.limit {
					return false
				}
				s.tries++
				if !seen[c] {
					seen[c] = true
					s.classify(&r, c, values)
				}
				return true
			})
			if !whole {
				return false
			}
		}
	}
	return true
}

// classify classifies a combination on both sides, and counts it.
func (s *search) classify(r *requester, c combination, values *vocabulary) {
	a := c.attributes(r)
	if longrunning.Is(&a) {
		s.longRunning++
		return
	}
	s.moves.checked++
	moves := route{s.before.classify(&a), s.after.classify(&a)}
	if moves.from != moves.to {
		s.moves.add(moves, kind{
			name: r.user, user: r.label, verb: shown(a.Verb), resource: shown(resourceOf(&a)), namespace: shown(a.Namespace),
			unlikely: a.IsResourceRequest && !values.together[[2]string{c.group, c.resource}],
		})
	}
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

// shown returns how a value is shown.
func shown(value string) string { return strings.ReplaceAll(value, other, shownOther) }
