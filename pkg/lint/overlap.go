package lint

import (
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// maxTied bounds how many tied schemas are searched for: each candidate is
// compared rule by rule while the client waits.
const maxTied = 20

// tiedWith returns up to maxTied other schemas of the same precedence that match
// some request which the schema matches too. It excludes mandatory schemas, whose
// order does not depend on their names.
func tiedWith(schema *flowcontrol.FlowSchema, others []*flowcontrol.FlowSchema) []*flowcontrol.FlowSchema {
	rules := rulesOf(schema)
	var tied []*flowcontrol.FlowSchema
	for _, other := range others {
		if len(tied) == maxTied {
			break
		}
		if other.Spec.MatchingPrecedence == schema.Spec.MatchingPrecedence && other.Name != schema.Name &&
			!isMandatorySchema(other.Name) && overlap(rules, other) {
			tied = append(tied, other)
		}
	}
	return tied
}

// ruleWithUsers is a rule and the users that its subjects select.
type ruleWithUsers struct {
	*flowcontrol.PolicyRulesWithSubjects
	users []userSet
}

func rulesOf(schema *flowcontrol.FlowSchema) []ruleWithUsers {
	rules := make([]ruleWithUsers, len(schema.Spec.Rules))
	for i := range rules {
		rule := &schema.Spec.Rules[i]
		rules[i] = ruleWithUsers{PolicyRulesWithSubjects: rule, users: userSetsOf(rule.Subjects)}
	}
	return rules
}

// overlap reports whether some request matches one of the rules and the schema.
func overlap(rules []ruleWithUsers, schema *flowcontrol.FlowSchema) bool {
	for i := range rules {
		for j := range schema.Spec.Rules {
			if rules[i].intersects(&schema.Spec.Rules[j]) {
				return true
			}
		}
	}
	return false
}

func (r *ruleWithUsers) intersects(other *flowcontrol.PolicyRulesWithSubjects) bool {
	return r.intersectsSubjects(other.Subjects) &&
		(slices.ContainsFunc(r.ResourceRules, func(a flowcontrol.ResourcePolicyRule) bool {
			return slices.ContainsFunc(other.ResourceRules, func(b flowcontrol.ResourcePolicyRule) bool { return resourceRulesIntersect(&a, &b) })
		}) || slices.ContainsFunc(r.NonResourceRules, func(a flowcontrol.NonResourcePolicyRule) bool {
			return slices.ContainsFunc(other.NonResourceRules, func(b flowcontrol.NonResourcePolicyRule) bool { return nonResourceRulesIntersect(&a, &b) })
		}))
}

func (r *ruleWithUsers) intersectsSubjects(subjects []flowcontrol.Subject) bool {
	for i := range subjects {
		set, ok := userSetOf(&subjects[i])
		if ok && slices.ContainsFunc(r.users, set.intersects) {
			return true
		}
	}
	return false
}
