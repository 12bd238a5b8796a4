package lint

import (
	"slices"
	"sync"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/box"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/budget"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/userset"
)

// maxTied bounds how many tied schemas are searched for: each candidate is
// compared rule by rule while the client waits.
const maxTied = 20

// Compared is a schema with what comparisons need of it, which the first of them makes. It is safe
// for concurrent use. Create one with NewCompared.
type Compared struct {
	*flowcontrolv1.FlowSchema
	mask   UserMask
	making sync.Once
	made   []box.Box
}

// NewCompared returns a FlowSchema to be compared. It must not change afterwards.
func NewCompared(schema *flowcontrolv1.FlowSchema) *Compared {
	return &Compared{FlowSchema: schema, mask: MaskOf(schema)}
}

// Mask returns MaskOf the FlowSchema.
func (c *Compared) Mask() UserMask { return c.mask }

// boxes returns the requests that match the schema.
func (c *Compared) boxes() []box.Box {
	c.making.Do(func() {
		for i := range c.Spec.Rules {
			rule := &c.Spec.Rules[i]
			c.made = append(c.made, box.OfRule(box.NewUsers(usersOfAll(rule.Subjects)), rule)...)
		}
	})
	return c.made
}

func comparedOf(schemas []*flowcontrolv1.FlowSchema) []*Compared {
	all := make([]*Compared, len(schemas))
	for i, schema := range schemas {
		all[i] = NewCompared(schema)
	}
	return all
}

// concerning returns the schemas that come before the schema or have its precedence, up to the one at
// which the budget is spent.
func concerning(schema *Compared, all []*Compared, within *budget.Budget) []*Compared {
	var found []*Compared
	for _, other := range all {
		if other.Spec.MatchingPrecedence != schema.Spec.MatchingPrecedence && compareMatchingOrder(other.FlowSchema, schema.FlowSchema) > 0 {
			continue
		}
		found = append(found, other)
		if !within.Spend(box.Steps(other.boxes())) {
			break
		}
	}
	return found
}

// overlaps reports whether some request matches both schemas, even if no user is in a group that
// nothing requires them to be in.
func (c *Compared) overlaps(other *Compared, within *budget.Budget) bool {
	return box.Overlap(c.boxes(), other.boxes(), true, within)
}

// mayOverlap is overlaps for users in any groups.
func (c *Compared) mayOverlap(other *Compared, within *budget.Budget) bool {
	return box.Overlap(c.boxes(), other.boxes(), false, within)
}

// tiedWith returns up to maxTied other schemas of the same precedence that match
// some request which the schema matches too. It excludes mandatory schemas, whose
// order does not depend on their names.
func tiedWith(schema *Compared, others []*Compared, within *budget.Budget) []*Compared {
	var tied []*Compared
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
	users []userset.Set
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
