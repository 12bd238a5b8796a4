package lint

import (
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// mostTied is after how many tied schemas no more are looked for, as each is
// compared rule by rule while the writer waits.
const mostTied = 20

// tiedWith returns the others of the same precedence that match some request which
// the schema matches too, mostTied of them at most. The mandatory schemas are not
// among them: their place does not depend on their names.
func tiedWith(schema *flowcontrol.FlowSchema, others []*flowcontrol.FlowSchema) []*flowcontrol.FlowSchema {
	rules := rulesOf(schema)
	var found []*flowcontrol.FlowSchema
	for _, other := range others {
		if len(found) == mostTied {
			break
		}
		if other.Spec.MatchingPrecedence == schema.Spec.MatchingPrecedence && other.Name != schema.Name &&
			!isMandatory(other) && overlap(rules, other) {
			found = append(found, other)
		}
	}
	return found
}

// ruleOf is a rule of a schema and the users that its subjects mean.
type ruleOf struct {
	*flowcontrol.PolicyRulesWithSubjects
	users []who
}

func rulesOf(schema *flowcontrol.FlowSchema) []ruleOf {
	rules := make([]ruleOf, len(schema.Spec.Rules))
	for i := range rules {
		rule := &schema.Spec.Rules[i]
		rules[i] = ruleOf{PolicyRulesWithSubjects: rule, users: people(rule.Subjects)}
	}
	return rules
}

// overlap tells whether there is a request that one of the rules and the schema
// match.
func overlap(rules []ruleOf, schema *flowcontrol.FlowSchema) bool {
	for i := range rules {
		for j := range schema.Spec.Rules {
			if rules[i].meets(&schema.Spec.Rules[j]) {
				return true
			}
		}
	}
	return false
}

func (r *ruleOf) meets(other *flowcontrol.PolicyRulesWithSubjects) bool {
	return r.meetsSubjects(other.Subjects) &&
		(slices.ContainsFunc(r.ResourceRules, func(a flowcontrol.ResourcePolicyRule) bool {
			return slices.ContainsFunc(other.ResourceRules, func(b flowcontrol.ResourcePolicyRule) bool { return resourceRulesMeet(&a, &b) })
		}) || slices.ContainsFunc(r.NonResourceRules, func(a flowcontrol.NonResourcePolicyRule) bool {
			return slices.ContainsFunc(other.NonResourceRules, func(b flowcontrol.NonResourcePolicyRule) bool { return nonResourceRulesMeet(&a, &b) })
		}))
}

func (r *ruleOf) meetsSubjects(subjects []flowcontrol.Subject) bool {
	for i := range subjects {
		set, ok := whoIs(&subjects[i])
		if ok && slices.ContainsFunc(r.users, set.meets) {
			return true
		}
	}
	return false
}
