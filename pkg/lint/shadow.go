package lint

import (
	"cmp"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// maxTries bounds the work of shadowedBy: how often an atom is held against a
// schema. It is enough for nine atoms and 10,000 schemas that all count, and
// for any number of atoms while few schemas take all that is taken.
const maxTries = 100_000

// shadowedBy returns the schemas that come before the given one and take every
// request that it would match, so that it never does; nil if it can match, or if
// that is too much work to find out. levelExists tells whether there is a
// priority level of that name.
func shadowedBy(schema *flowcontrol.FlowSchema, others []*flowcontrol.FlowSchema, levelExists func(name string) bool) []*flowcontrol.FlowSchema {
	s := search{schema: schema, others: others, levelExists: levelExists}
	shadowed := true
	cut(schema, func(a atom) bool {
		shadowed = s.taken(&a)
		return shadowed
	})
	if !shadowed {
		return nil
	}
	return s.takers
}

// search looks for schemas that take atoms of a schema.
type search struct {
	schema      *flowcontrol.FlowSchema
	others      []*flowcontrol.FlowSchema
	levelExists func(string) bool
	// takers are those found to take an atom.
	takers []*flowcontrol.FlowSchema
	tries  int
}

// taken tells whether some schema takes the atom. Those that took another are
// asked first.
func (s *search) taken(a *atom) bool {
	if slices.ContainsFunc(s.takers, func(taker *flowcontrol.FlowSchema) bool { return s.try(taker, a) }) {
		return true
	}
	for _, other := range s.others {
		if other.Name != s.schema.Name && compare(other, s.schema) < 0 && s.try(other, a) {
			s.takers = append(s.takers, other)
			return true
		}
	}
	return false
}

func (s *search) try(candidate *flowcontrol.FlowSchema, a *atom) bool {
	s.tries++
	return s.tries <= maxTries && takes(candidate, a) && s.levelExists(candidate.Spec.PriorityLevelConfiguration.Name)
}

// compare orders schemas as they are tried: exempt, then by precedence and name,
// then catch-all.
func compare(a, b *flowcontrol.FlowSchema) int {
	if order := cmp.Or(
		cmp.Compare(tier(a.Name), tier(b.Name)),
		cmp.Compare(a.Spec.MatchingPrecedence, b.Spec.MatchingPrecedence),
	); order != 0 {
		return order
	}
	return cmp.Compare(a.Name, b.Name)
}

func tier(name string) int {
	switch name {
	case flowcontrol.FlowSchemaNameExempt:
		return 0
	case flowcontrol.FlowSchemaNameCatchAll:
		return 2
	default:
		return 1
	}
}

// isMandatory tells whether the schema is one whose spec nobody can choose.
func isMandatory(schema *flowcontrol.FlowSchema) bool { return tier(schema.Name) != 1 }
