package lint

import (
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/box"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/budget"
)

// maxTied bounds how many tied schemas are searched for: each candidate is
// compared rule by rule while the client waits.
const maxTied = 20

// compared is a schema with what comparisons need of it.
type compared struct {
	*flowcontrolv1.FlowSchema
	mask  UserMask
	boxes []box.Box
}

func newCompared(schema *flowcontrolv1.FlowSchema) *compared {
	c := &compared{FlowSchema: schema, mask: MaskOf(schema)}
	for i := range schema.Spec.Rules {
		rule := &schema.Spec.Rules[i]
		c.boxes = append(c.boxes, box.OfRule(box.NewUsers(usersOfAll(rule.Subjects)), rule)...)
	}
	return c
}

func comparedOf(schemas []*flowcontrolv1.FlowSchema) []*compared {
	all := make([]*compared, len(schemas))
	for i, schema := range schemas {
		all[i] = newCompared(schema)
	}
	return all
}

// comparedWithin returns the schemas up to the one at which the budget is spent.
func comparedWithin(schemas []*flowcontrolv1.FlowSchema, within *budget.Budget) []*compared {
	all := make([]*compared, 0, len(schemas))
	for _, schema := range schemas {
		one := newCompared(schema)
		all = append(all, one)
		if !within.Spend(box.Steps(one.boxes)) {
			break
		}
	}
	return all
}

// overlaps reports whether some request matches both schemas, even if no user is in a group that
// nothing requires them to be in.
func (c *compared) overlaps(other *compared, within *budget.Budget) bool {
	return box.Overlap(c.boxes, other.boxes, true, within)
}

// mayOverlap is overlaps for users in any groups.
func (c *compared) mayOverlap(other *compared, within *budget.Budget) bool {
	return box.Overlap(c.boxes, other.boxes, false, within)
}

// tiedWith returns up to maxTied other schemas of the same precedence that match
// some request which the schema matches too. It excludes mandatory schemas, whose
// order does not depend on their names.
func tiedWith(schema *compared, others []*compared, within *budget.Budget) []*compared {
	var tied []*compared
	for _, other := range others {
		if len(tied) == maxTied {
			break
		}
		if schema.mask.MayIntersect(other.mask) && other.Spec.MatchingPrecedence == schema.Spec.MatchingPrecedence && other.Name != schema.Name &&
			!isMandatorySchema(other.Name) && schema.mayOverlap(other, within) {
			tied = append(tied, other)
		}
	}
	return tied
}

// ruleWithUsers is a rule and the users that its subjects select.
type ruleWithUsers struct {
	*flowcontrolv1.PolicyRulesWithSubjects
	users []rules.Users
}

func rulesOf(schema *flowcontrolv1.FlowSchema) []ruleWithUsers {
	all := make([]ruleWithUsers, len(schema.Spec.Rules))
	for i := range all {
		rule := &schema.Spec.Rules[i]
		all[i] = ruleWithUsers{PolicyRulesWithSubjects: rule, users: usersOfAll(rule.Subjects)}
	}
	return all
}

// selectsAny reports whether the rule selects some of the requests, of some user.
func (r *ruleWithUsers) selectsAny(requests []flowcontrolv1.ResourcePolicyRule) bool {
	return slices.ContainsFunc(r.ResourceRules, func(a flowcontrolv1.ResourcePolicyRule) bool {
		return slices.ContainsFunc(requests, func(b flowcontrolv1.ResourcePolicyRule) bool { return resourceRulesIntersect(&a, &b) })
	})
}
