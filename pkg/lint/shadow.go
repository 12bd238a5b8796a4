package lint

import (
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// maxTries bounds the work of shadowedBy: how often a tuple is compared with a
// schema. It suffices for nine tuples and 10,000 schemas that all count, and for
// any number of tuples if few schemas take them all.
const maxTries = 100_000

// shadowedBy returns the earlier schemas that together take every request which
// the given one would match, so that it never does. It returns nil if the schema
// can match or if maxTries is exceeded. levelExists reports whether a priority
// level exists.
func shadowedBy(schema *flowcontrolv1.FlowSchema, others []*flowcontrolv1.FlowSchema, levelExists func(name string) bool) []*flowcontrolv1.FlowSchema {
	s := search{schema: schema, others: others, levelExists: levelExists}
	shadowed := true
	forEachTuple(schema, func(t tuple) bool {
		shadowed = s.isTaken(&t)
		return shadowed
	})
	if !shadowed {
		return nil
	}
	return fewest(schema, s.takers)
}

// maxAlone bounds how many of several takers are tried alone.
const maxAlone = 16

// fewest returns the one of the takers that takes every request of the schema, if there
// is one, and otherwise all of them.
func fewest(schema *flowcontrolv1.FlowSchema, takers []*flowcontrolv1.FlowSchema) []*flowcontrolv1.FlowSchema {
	for i, taker := range takers[:min(len(takers), maxAlone)] {
		takesAll := true
		forEachTuple(schema, func(t tuple) bool {
			takesAll = takes(taker, &t)
			return takesAll
		})
		if takesAll {
			return takers[i : i+1]
		}
	}
	return takers
}

// search looks for the schemas that take the tuples of a schema.
type search struct {
	schema      *flowcontrolv1.FlowSchema
	others      []*flowcontrolv1.FlowSchema
	levelExists func(string) bool
	// takers are the schemas found to take a tuple.
	takers []*flowcontrolv1.FlowSchema
	tries  int
}

// isTaken reports whether an earlier schema takes the tuple. It tries the known
// takers first.
func (s *search) isTaken(t *tuple) bool {
	if slices.ContainsFunc(s.takers, func(taker *flowcontrolv1.FlowSchema) bool { return s.try(taker, t) }) {
		return true
	}
	for _, other := range s.others {
		if other.Name != s.schema.Name && compareMatchingOrder(other, s.schema) < 0 && s.try(other, t) {
			s.takers = append(s.takers, other)
			return true
		}
	}
	return false
}

func (s *search) try(candidate *flowcontrolv1.FlowSchema, t *tuple) bool {
	s.tries++
	return s.tries <= maxTries && takes(candidate, t) && s.levelExists(candidate.Spec.PriorityLevelConfiguration.Name)
}

// takes reports whether one rule of the schema matches every request of the tuple.
func takes(schema *flowcontrolv1.FlowSchema, t *tuple) bool {
	for i := range schema.Spec.Rules {
		if ruleCovers(&schema.Spec.Rules[i], t) {
			return true
		}
	}
	return false
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
