package diff

import (
	"fmt"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

const (
	// maxOfSchema bounds the combinations of one schema that are classified to see
	// whether it matches. If it is exceeded, the schema counts as one that matches.
	maxOfSchema = 1 << 14
	// maxNamed bounds the schemas that a message names.
	maxNamed = 3
)

// matching returns the schemas that stop or start to match, by name.
func (c *Comparison) matching() []FlowSchema {
	changed := []FlowSchema{}
	for _, name := range c.schemaNames() {
		before, after := c.before.schemas[name], c.after.schemas[name]
		if after == nil {
			continue
		}
		whyNotBefore, whyNotAfter := "", c.after.whyUnmatched(after)
		effect := Never
		if before != nil {
			whyNotBefore, effect = c.before.whyUnmatched(before), Stops
		}
		switch {
		case whyNotAfter != "" && whyNotBefore == "":
			changed = append(changed, FlowSchema{Name: name, Matching: effect, Because: whyNotAfter})
		case whyNotAfter == "" && whyNotBefore != "":
			changed = append(changed, FlowSchema{Name: name, Matching: Starts, Because: "before, " + whyNotBefore})
		}
	}
	return changed
}

// whyUnmatched returns why a schema matches no request; "" if it matches some.
func (s *side) whyUnmatched(schema *flowcontrolv1.FlowSchema) string {
	if !s.enforces(schema) {
		return fmt.Sprintf("its priority level %q does not exist", schema.Spec.PriorityLevelConfiguration.Name)
	}
	var earlier []string
	count := 0
	matched := false
	forEachRequest(schema, func(a *flow.Attributes) bool {
		place := s.classify(a)
		count++
		matched = place.FlowSchema == schema.Name || count > maxOfSchema
		if !matched && !slices.Contains(earlier, place.FlowSchema) {
			earlier = append(earlier, place.FlowSchema)
		}
		return !matched
	})
	switch {
	case matched:
		return ""
	case count == 0:
		return "it has no rules"
	default:
		return "all its requests match " + listOf(earlier) + " first"
	}
}

// listOf names some schemas.
func listOf(names []string) string {
	text := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// forEachRequest calls yield with a request for each combination of the values in the
// rules of a schema, until it returns false. A wildcard gives other.
func forEachRequest(schema *flowcontrolv1.FlowSchema, yield func(*flow.Attributes) bool) {
	for i := range schema.Spec.Rules {
		rule := &schema.Spec.Rules[i]
		for j := range rule.Subjects {
			for _, who := range requestersOf(&rule.Subjects[j]) {
				a := flow.Attributes{User: who.user, Groups: who.groups}
				if !forEachResource(a, rule.ResourceRules, yield) || !forEachPath(a, rule.NonResourceRules, yield) {
					return
				}
			}
		}
	}
}

func forEachResource(a flow.Attributes, rules []flowcontrolv1.ResourcePolicyRule, yield func(*flow.Attributes) bool) bool {
	a.IsResourceRequest = true
	for i := range rules {
		r := &rules[i]
		namespaces := named(r.Namespaces)
		if r.ClusterScope {
			namespaces = append([]string{""}, namespaces...)
		}
		for _, a.Verb = range named(r.Verbs) {
			for _, a.APIGroup = range named(r.APIGroups) {
				for _, resource := range named(r.Resources) {
					a.Resource, a.Subresource, _ = strings.Cut(resource, "/")
					for _, a.Namespace = range namespaces {
						if !yield(&a) {
							return false
						}
					}
				}
			}
		}
	}
	return true
}

func forEachPath(a flow.Attributes, rules []flowcontrolv1.NonResourcePolicyRule, yield func(*flow.Attributes) bool) bool {
	for i := range rules {
		for _, a.Verb = range named(rules[i].Verbs) {
			for _, url := range rules[i].NonResourceURLs {
				paths := pathsOf(url)
				if url == flowcontrolv1.NonResourceAll {
					paths = []string{"/" + other}
				}
				for _, a.Path = range paths {
					if !yield(&a) {
						return false
					}
				}
			}
		}
	}
	return true
}
