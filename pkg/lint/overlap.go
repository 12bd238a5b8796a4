package lint

import (
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// maxTied bounds how many tied schemas are searched for: each candidate is
// compared rule by rule while the client waits.
const maxTied = 20

// compared is a schema with what comparisons need of it.
type compared struct {
	*flowcontrolv1.FlowSchema
	mask  UserMask
	rules []ruleWithUsers
}

func comparedOf(schemas []*flowcontrolv1.FlowSchema) []compared {
	all := make([]compared, len(schemas))
	for i, schema := range schemas {
		all[i] = compared{schema, MaskOf(schema), rulesOf(schema)}
	}
	return all
}

// tiedWith returns up to maxTied other schemas of the same precedence that match
// some request which the schema matches too. It excludes mandatory schemas, whose
// order does not depend on their names.
func tiedWith(schema *flowcontrolv1.FlowSchema, others []compared) []*flowcontrolv1.FlowSchema {
	own, mask := rulesOf(schema), MaskOf(schema)
	var tied []*flowcontrolv1.FlowSchema
	for i := range others {
		other := &others[i]
		if len(tied) == maxTied {
			break
		}
		if other.Spec.MatchingPrecedence == schema.Spec.MatchingPrecedence && mask.MayIntersect(other.mask) && other.Name != schema.Name &&
			!isMandatorySchema(other.Name) && overlap(own, other.rules, rules.Users.Intersects) {
			tied = append(tied, other.FlowSchema)
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

// overlap reports whether some request matches a rule of each. common reports whether two sets have a
// user in common.
func overlap(some, others []ruleWithUsers, common func(a, b rules.Users) bool) bool {
	return slices.ContainsFunc(some, func(a ruleWithUsers) bool {
		return slices.ContainsFunc(others, func(b ruleWithUsers) bool { return a.intersects(&b, common) })
	})
}

func (r *ruleWithUsers) intersects(other *ruleWithUsers, common func(a, b rules.Users) bool) bool {
	return slices.ContainsFunc(other.users, func(set rules.Users) bool {
		return slices.ContainsFunc(r.users, func(own rules.Users) bool { return common(set, own) })
	}) && (r.selectsAny(other.ResourceRules) ||
		slices.ContainsFunc(r.NonResourceRules, func(a flowcontrolv1.NonResourcePolicyRule) bool {
			return slices.ContainsFunc(other.NonResourceRules, func(b flowcontrolv1.NonResourcePolicyRule) bool { return nonResourceRulesIntersect(&a, &b) })
		}))
}

// cover reports whether the rule selects all of the users.
func (r *ruleWithUsers) cover(users rules.Users) bool {
	return slices.ContainsFunc(r.users, func(set rules.Users) bool { return set.Covers(users) })
}
