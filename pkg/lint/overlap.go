package lint

import (
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// maxTied bounds how many tied schemas are searched for: each candidate is
// compared rule by rule while the client waits.
const maxTied = 20

// tiedWith returns up to maxTied other schemas of the same precedence that match
// some request which the schema matches too. It excludes mandatory schemas, whose
// order does not depend on their names.
func tiedWith(schema *flowcontrolv1.FlowSchema, others []*flowcontrolv1.FlowSchema) []*flowcontrolv1.FlowSchema {
	own := rulesOf(schema)
	var tied []*flowcontrolv1.FlowSchema
	for _, other := range others {
		if len(tied) == maxTied {
			break
		}
		if other.Spec.MatchingPrecedence == schema.Spec.MatchingPrecedence && other.Name != schema.Name &&
			!isMandatorySchema(other.Name) && overlap(own, other, rules.Users.Intersects) {
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

// overlap reports whether some request matches one of the rules and the schema. common
// reports whether two sets have a user in common.
func overlap(own []ruleWithUsers, schema *flowcontrolv1.FlowSchema, common func(a, b rules.Users) bool) bool {
	for i := range own {
		for j := range schema.Spec.Rules {
			if own[i].intersects(&schema.Spec.Rules[j], common) {
				return true
			}
		}
	}
	return false
}

func (r *ruleWithUsers) intersects(other *flowcontrolv1.PolicyRulesWithSubjects, common func(a, b rules.Users) bool) bool {
	return r.intersectsSubjects(other.Subjects, common) &&
		(slices.ContainsFunc(r.ResourceRules, func(a flowcontrolv1.ResourcePolicyRule) bool {
			return slices.ContainsFunc(other.ResourceRules, func(b flowcontrolv1.ResourcePolicyRule) bool { return resourceRulesIntersect(&a, &b) })
		}) || slices.ContainsFunc(r.NonResourceRules, func(a flowcontrolv1.NonResourcePolicyRule) bool {
			return slices.ContainsFunc(other.NonResourceRules, func(b flowcontrolv1.NonResourcePolicyRule) bool { return nonResourceRulesIntersect(&a, &b) })
		}))
}

func (r *ruleWithUsers) intersectsSubjects(subjects []flowcontrolv1.Subject, common func(a, b rules.Users) bool) bool {
	for i := range subjects {
		set, ok := usersOf(&subjects[i])
		if ok && slices.ContainsFunc(r.users, func(own rules.Users) bool { return common(set, own) }) {
			return true
		}
	}
	return false
}
