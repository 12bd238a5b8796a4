package diff

import (
	"fmt"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/longrunning"
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

// whyUnmatched returns why a schema matches no request; "" if it matches some. Its own values are
// tried, and other for a wildcard.
func (s *side) whyUnmatched(schema *flowcontrolv1.FlowSchema) string {
	if !s.enforces(schema) {
		return fmt.Sprintf("its priority level %q does not exist", schema.Spec.PriorityLevelConfiguration.Name)
	}
	var earlier []string
	count := 0
	for _, rule := range rulesIn(schema) {
		values := newVocabulary(nil)
		values.addPaths(rule)
		for _, r := range requestersIn([]*flowcontrolv1.PolicyRulesWithSubjects{rule}) {
			unmatched := values.forEach(rule, func(c combination) bool {
				a := c.attributes(&r)
				count++
				if longrunning.Is(&a) {
					return count <= maxOfSchema
				}
				place := s.classify(&a)
				if !slices.Contains(earlier, place.FlowSchema) {
					earlier = append(earlier, place.FlowSchema)
				}
				return place.FlowSchema != schema.Name && count <= maxOfSchema
			})
			if !unmatched {
				return ""
			}
		}
	}
	switch {
	case count == 0:
		return "it has no rules"
	case len(earlier) == 0:
		return "its requests are long-running, and flow control does not govern them"
	}
	return "all its requests match " + listOf(earlier) + " first"
}

// listOf names some schemas.
func listOf(names []string) string {
	text := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
