package lint

import (
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// maxTries bounds the work of shadowedBy: how often a tuple is compared with a
// schema. It suffices for nine tuples and 10,000 schemas that all count, and for
// any number of tuples if few schemas cover them all.
const maxTries = 100_000

// shadowedBy returns the earlier schemas that together match every request of the
// given one, so that it never matches. It returns nil if the schema can match or
// if maxTries is exceeded. levelExists reports whether a priority level exists.
func shadowedBy(schema *flowcontrolv1.FlowSchema, others []compared, levelExists func(name string) bool) []*flowcontrolv1.FlowSchema {
	s := search{schema: schema, mask: MaskOf(schema), others: others, levelExists: levelExists}
	shadowed := true
	forEachTuple(schema, func(t tuple) bool {
		shadowed = s.isCovered(&t)
		return shadowed
	})
	if !shadowed {
		return nil
	}
	var covering []*flowcontrolv1.FlowSchema
	for _, one := range s.covering {
		covering = append(covering, one.FlowSchema)
	}
	return fewest(schema, covering)
}

// maxAlone bounds how many of several covering schemas are tried alone.
const maxAlone = 16

// fewest returns the one covering schema that matches every request of the schema, if there
// is one, and otherwise all of them.
func fewest(schema *flowcontrolv1.FlowSchema, covering []*flowcontrolv1.FlowSchema) []*flowcontrolv1.FlowSchema {
	for i, one := range covering[:min(len(covering), maxAlone)] {
		all := true
		forEachTuple(schema, func(t tuple) bool {
			all = coversTuple(one, &t)
			return all
		})
		if all {
			return covering[i : i+1]
		}
	}
	return covering
}

// search looks for the schemas that cover the tuples of a schema.
type search struct {
	schema      *flowcontrolv1.FlowSchema
	mask        UserMask
	others      []compared
	levelExists func(string) bool
	// covering are the earlier schemas found to cover a tuple.
	covering []*compared
	tries    int
}

// isCovered reports whether an earlier schema covers the tuple. It tries those first that
// cover another one.
func (s *search) isCovered(t *tuple) bool {
	if slices.ContainsFunc(s.covering, func(one *compared) bool { return s.try(one, t) }) {
		return true
	}
	for i := range s.others {
		other := &s.others[i]
		if s.mask.MayIntersect(other.mask) && other.Name != s.schema.Name && compareMatchingOrder(other.FlowSchema, s.schema) < 0 && s.try(other, t) {
			s.covering = append(s.covering, other)
			return true
		}
	}
	return false
}

func (s *search) try(candidate *compared, t *tuple) bool {
	s.tries++
	return s.tries <= maxTries && covers(candidate.rules, t) && s.levelExists(candidate.Spec.PriorityLevelConfiguration.Name)
}

// coversTuple reports whether one rule of the schema matches every request of the tuple.
func coversTuple(schema *flowcontrolv1.FlowSchema, t *tuple) bool {
	return covers(rulesOf(schema), t)
}

// covers reports whether one of the rules matches every request of the tuple.
func covers(rules []ruleWithUsers, t *tuple) bool {
	return slices.ContainsFunc(rules, func(r ruleWithUsers) bool { return r.cover(t.users) && requestsCover(r.PolicyRulesWithSubjects, t) })
}

// compareMatchingOrder orders schemas as they are tried.
func compareMatchingOrder(a, b *flowcontrolv1.FlowSchema) int {
	return rules.Compare(placed(a), placed(b))
}

// placed returns a schema with the place of a FlowSchema in the matching order.
func placed(schema *flowcontrolv1.FlowSchema) *rules.Schema {
	return &rules.Schema{Name: schema.Name, Precedence: schema.Spec.MatchingPrecedence}
}

func isMandatorySchema(name string) bool { return name == rules.Exempt || name == rules.CatchAll }
