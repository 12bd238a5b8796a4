package explain

import (
	"fmt"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/configsync"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// matchingOrder returns the flow schemas in matching order: those in effect, and the
// valid ones whose priority level does not exist.
func matchingOrder(inEffect []*rules.Schema, c configuration.Configuration) []*rules.Schema {
	effective := make(map[string]bool, len(inEffect))
	for _, schema := range inEffect {
		effective[schema.Name] = true
	}
	var others []*flowcontrolv1.FlowSchema
	for _, object := range c.FlowSchemas {
		if !effective[object.Name] {
			others = append(others, object)
		}
	}
	if len(others) == 0 {
		return inEffect
	}
	dangling, _ := configsync.NewTranslator().Translate(nil, others)
	order := slices.Clone(inEffect)
	for i := range dangling.Schemas {
		order = append(order, &dangling.Schemas[i])
	}
	slices.SortFunc(order, rules.Compare)
	return order
}

// trace returns the flow schemas that are compared with the request, up to the one that it matches.
func (e *Explainer) trace(matched *rules.Schema, a *flow.Attributes) []Step {
	var steps []Step
	for _, s := range e.order {
		step := Step{FlowSchema: s.Name, MatchingPrecedence: s.Precedence, PriorityLevel: s.Level}
		mismatch, differs := s.Mismatch(a)
		_, exists := e.inForce.Levels[s.Level]
		switch {
		case s.Name == matched.Name:
			step.Matches = !differs
			step.Reasons = reasons(mismatch, differs, a)
			return append(steps, step)
		case !exists && !differs:
			step.Reasons = []Reason{{
				Field: "spec.priorityLevelConfiguration.name", Got: s.Level,
				Message: fmt.Sprintf("it matches, but has no effect: the priority level %q does not exist", s.Level),
			}}
		default:
			step.Reasons = reasons(mismatch, differs, a)
		}
		steps = append(steps, step)
	}
	return steps
}

// reasons returns why the rules of a flow schema do not match.
func reasons(mismatch rules.Mismatch, differs bool, a *flow.Attributes) []Reason {
	if !differs {
		return nil
	}
	if len(mismatch) == 0 {
		return []Reason{{Field: "spec.rules", Message: "it has no rules"}}
	}
	out := make([]Reason, 0, len(mismatch))
	for _, m := range mismatch {
		out = append(out, reasonOf(m, a))
	}
	return out
}

func reasonOf(m rules.RuleMismatch, a *flow.Attributes) Reason {
	rule := fmt.Sprintf("spec.rules[%d]", m.Rule)
	policy := fmt.Sprintf("%s.%s[%d].", rule, policyKind(a), m.Policy)
	switch m.Part {
	case rules.Subjects:
		return Reason{Field: rule + ".subjects", Message: "no subject is the user or one of the groups"}
	case rules.PolicyRules:
		return Reason{Field: rule + "." + policyKind(a), Message: "it has no rules for " + kindOf(a)}
	case rules.ClusterScope:
		return Reason{Field: policy + string(m.Part), Message: "the request is not limited to a namespace, and clusterScope is false"}
	default:
		return Reason{
			Field: policy + string(m.Part), Want: append([]string{}, m.Want...), Got: m.Got,
			Message: fmt.Sprintf("%s is not %s", quoteValue(m.Got), quoteList(m.Want)),
		}
	}
}

func policyKind(a *flow.Attributes) string {
	if a.IsResourceRequest {
		return "resourceRules"
	}
	return "nonResourceRules"
}

func kindOf(a *flow.Attributes) string {
	if a.IsResourceRequest {
		return "resource requests"
	}
	return "non-resource requests"
}

// quoteValue returns the value as text: the core API group is empty.
func quoteValue(value string) string {
	if value == "" {
		return `""`
	}
	return value
}

// shown is how many values of a list a reason shows.
const shown = 6

func quoteList(values []string) string {
	if len(values) == 0 {
		return "in the empty list"
	}
	var texts []string
	for _, value := range values {
		texts = append(texts, quoteValue(value))
	}
	switch {
	case len(texts) == 1:
		return texts[0]
	case len(texts) > shown:
		return fmt.Sprintf("one of %s and %d more", strings.Join(texts[:shown], ", "), len(texts)-shown)
	default:
		return "one of " + strings.Join(texts, ", ")
	}
}

// schemaOf describes the flow schema that matches a request.
func schemaOf(s *rules.Schema, a *flow.Attributes) FlowSchema {
	out := FlowSchema{Name: s.Name, UID: s.UID, MatchingPrecedence: s.Precedence}
	switch s.Distinguisher {
	case rules.ByUser:
		out.DistinguisherMethod = string(flowcontrolv1.FlowDistinguisherMethodByUserType)
	case rules.ByNamespace:
		out.DistinguisherMethod = string(flowcontrolv1.FlowDistinguisherMethodByNamespaceType)
	default:
	}
	if place, matches := s.Match(a); matches {
		out.Rule = fmt.Sprintf("spec.rules[%d].%s[%d]", place.Rule, policyKind(a), place.Policy)
		out.Subject = subjectText(s.Rules[place.Rule].Subjects[place.Subject])
	}
	return out
}

func subjectText(s rules.Subject) string {
	switch s.Kind {
	case rules.User:
		return "User " + s.Name
	case rules.Group:
		return "Group " + s.Name
	default:
		return "ServiceAccount " + s.Namespace + "/" + s.Name
	}
}
