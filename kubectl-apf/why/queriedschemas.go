package why

import (
	"fmt"
	"maps"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// about returns sentences about the flow schemas of the query, their levels, and remedies for levels without
// seats.
func (i *Inquiry) about(r *Result) (about []string, remedies []Remedy) {
	add := func(format string, arguments ...any) { about = append(about, fmt.Sprintf(format, arguments...)) }
	levels := map[string]bool{}
	for _, f := range r.Flows {
		levels[f.PriorityLevel] = true
	}
	for _, c := range r.Counters {
		levels[c.PriorityLevel] = levels[c.PriorityLevel] || reasons(c.Rejected) != ""
	}
	if name := i.query.FlowSchema; name != "" {
		schema := i.flowSchema(name)
		switch {
		case name == rules.Exempt || name == rules.CatchAll:
		case schema == nil:
			add("There is no flow schema %q now.", name)
		default:
			level := schema.Spec.PriorityLevelConfiguration.Name
			levels[level] = true
			if _, known := i.inForce.Levels[level]; !known {
				add("The flow schema %q names the priority level %q, which does not exist now: other flow schemas match its requests, and what API servers counted of that level is forgotten.", name, level)
			}
		}
	}
	if i.query.User != "" && r.Evidence == Nothing && len(r.Counters) > 0 {
		add("Counters do not distinguish users: these are of the flow schemas that may match requests of %s.", i.query.User)
	}
	for _, level := range slices.Sorted(maps.Keys(levels)) {
		if report, known := i.inForce.Levels[level]; levels[level] && known && report.Limits.Nominal == 0 && report.Config.Discipline != queueset.Exempt {
			remedies = append(remedies, i.noSeats(level))
		}
	}
	return about, remedies
}

// noSeats is for a level whose nominal limit is 0.
func (i *Inquiry) noSeats(level string) Remedy {
	does := "kube-apiserver executes one of its requests at a time, while the level is idle, and rejects the others"
	if i.configuration.Own {
		does = "the API server rejects all its requests, unless it borrows seats"
	}
	return Remedy{
		Action:  fmt.Sprintf("Give priority level %s seats: set nominalConcurrencyShares to more than 0.", level),
		Because: fmt.Sprintf("It has none: %s.", does),
		Object:  levelObject(level), Field: "spec.limited.nominalConcurrencyShares", From: 0, To: 1,
	}
}

// schemasOf returns the flow schemas with a subject that matches a user, in groups that the name implies. The
// last one matches what no other does.
func (i *Inquiry) schemasOf(name string) map[string]bool {
	a := flow.Attributes{User: name, Groups: trace.WellKnownGroups(name)}
	schemas := map[string]bool{}
	for _, schema := range i.inForce.Schemas() {
		for r := range schema.Rules {
			rule := &schema.Rules[r]
			if schema.Name != rules.CatchAll && slices.ContainsFunc(rule.Subjects, func(s rules.Subject) bool { return s.Matches(&a) }) {
				schemas[schema.Name] = true
			}
		}
	}
	return schemas
}
