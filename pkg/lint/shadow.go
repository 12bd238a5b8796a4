package lint

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/box"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/budget"
)

// earlier are schemas that come before another one in matching order.
type earlier struct {
	schemas []*Compared
	index   box.Index // its owners are indexes of schemas
}

func (e *earlier) add(schema *Compared) {
	e.index.Add(len(e.schemas), schema.boxes())
	e.schemas = append(e.schemas, schema)
}

// earlierThan returns the schemas that come before the schema and select all users of one of its
// subjects. It stops when the budget is spent.
func earlierThan(schema *Compared, others []*Compared, within *budget.Budget) *earlier {
	e := &earlier{}
	for _, other := range others {
		if schema.mask.MayIntersect(other.mask) && other.Name != schema.Name && compareMatchingOrder(other.FlowSchema, schema.FlowSchema) < 0 &&
			box.MayCover(other.boxes(), schema.boxes(), within) {
			if !within.Spend(box.Steps(other.boxes())) {
				break
			}
			e.add(other)
		}
	}
	return e
}

// shadowedBy returns the earlier schemas that together match every request of the
// given one, so that it never matches. It returns nil if the schema can match or
// if the budget is spent. levelExists reports whether a priority level exists.
func shadowedBy(schema *Compared, before *earlier, levelExists func(name string) bool, within *budget.Budget) []*Compared {
	exists := func(owner int) bool { return levelExists(before.schemas[owner].Spec.PriorityLevelConfiguration.Name) }
	owners, ok := before.index.Cover(schema.boxes(), exists, within)
	if !ok {
		return nil
	}
	covering := make([]*Compared, len(owners))
	for i, owner := range owners {
		covering[i] = before.schemas[owner]
	}
	return fewest(schema, covering, within)
}

// maxAlone bounds how many of several covering schemas are tried alone.
const maxAlone = 16

// fewest returns the one covering schema that matches every request of the schema, if there
// is one, and otherwise all of them.
func fewest(schema *Compared, covering []*Compared, within *budget.Budget) []*Compared {
	if len(covering) < 2 {
		return covering
	}
	for i, one := range covering[:min(len(covering), maxAlone)] {
		if !within.Spend(box.Steps(one.boxes())) {
			break
		}
		var alone earlier
		alone.add(one)
		if _, all := alone.index.Cover(schema.boxes(), func(int) bool { return true }, within); all {
			return covering[i : i+1]
		}
	}
	return covering
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
