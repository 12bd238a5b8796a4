package lint

import (
	"fmt"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/box"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/budget"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/userset"
)

// isProtected reports whether the requests of a built-in schema keep a cluster alive: requests of
// nodes, leader elections, the control plane and its controllers. Others are there to be divided
// further.
func isProtected(schema string) bool {
	return slices.Contains([]string{
		flowcontrolv1.FlowSchemaNameExempt, "probes", "system-leader-election", "endpoint-controller", "workload-leader-election", "system-node-high",
		"system-nodes", "kube-controller-manager", "kube-scheduler", "kube-system-service-accounts",
	}, schema)
}

// diversion looks for schemas that match requests of protected built-in ones first.
type diversion struct {
	defaults Defaults
	// builtIn are the built-in schemas of the release.
	builtIn []*Compared
	// stored are the built-in schemas as they are stored.
	stored []*Compared
	// index has the requests of stored, by their indexes; nil until it is needed.
	index *box.Index
	// ranks are the ranks of the levels by name.
	ranks map[string]levelRank
}

// newDiversion returns a diversion without ranks. builtIn are the FlowSchemas of defaults, and schemas
// the stored ones.
func newDiversion(defaults Defaults, builtIn, schemas []*Compared) *diversion {
	d := &diversion{defaults: defaults, builtIn: builtIn}
	names := sets.New[string]()
	for _, builtIn := range d.builtIn {
		names.Insert(builtIn.Name)
	}
	for _, schema := range schemas {
		if names.Has(schema.Name) {
			d.stored = append(d.stored, schema)
		}
	}
	return d
}

// levelRank says how a level treats requests.
type levelRank struct {
	exempt, rejects bool
	// amount is the number of its seats, or of its shares if seats are unknown; unit is "seats" or
	// "shares".
	amount int
	unit   string
}

// isLess reports whether a request is worse off in a than in b.
func (a levelRank) isLess(b levelRank) bool {
	switch {
	case a.exempt || b.exempt:
		return !a.exempt
	default:
		return a.amount < b.amount || a.rejects && !b.rejects
	}
}

func (a levelRank) String() string {
	switch {
	case a.exempt:
		return "no limit"
	case a.rejects:
		return fmt.Sprintf("%d %s and no queues", a.amount, a.unit)
	default:
		return fmt.Sprintf("%d %s", a.amount, a.unit)
	}
}

// candidates returns the protected built-in schemas, as they are in the release, whose
// requests the schema may match first; none if the budget is spent.
func (d *diversion) candidates(schema *Compared, within *budget.Budget) []*flowcontrolv1.FlowSchema {
	if isMandatorySchema(schema.Name) || d.defaults.hasSchema(schema.FlowSchema) {
		return nil
	}
	var found []*flowcontrolv1.FlowSchema
	for _, builtIn := range d.builtIn {
		level := schema.Spec.PriorityLevelConfiguration
		if isProtected(builtIn.Name) && level != builtIn.Spec.PriorityLevelConfiguration && d.precedes(schema.FlowSchema, builtIn.FlowSchema) &&
			schema.overlaps(builtIn, within) && d.gets(schema, builtIn, within) {
			found = append(found, builtIn.FlowSchema)
		}
	}
	if within.IsSpent() {
		return nil
	}
	return found
}

// gets reports whether some request of the built-in schema reaches the schema: no other
// built-in schema before it matches the request.
func (d *diversion) gets(schema, builtIn *Compared, within *budget.Budget) bool {
	isBefore := func(owner int) bool {
		return d.stored[owner].Name != schema.Name && compareMatchingOrder(d.stored[owner].FlowSchema, schema.FlowSchema) < 0
	}
	reaches := false
	box.Meets(schema.boxes(), builtIn.boxes(), within, func(common box.Box) bool {
		_, covered := d.indexOfStored(within).Cover([]box.Box{common}, isBefore, within)
		reaches = !covered
		return !reaches
	})
	return reaches
}

// indexOfStored returns the index, which is complete if the budget is not spent.
func (d *diversion) indexOfStored(within *budget.Budget) *box.Index {
	if d.index == nil {
		index := &box.Index{}
		for i, one := range d.stored {
			if !within.Spend(box.Steps(one.boxes())) {
				return index
			}
			index.Add(i, one.boxes())
		}
		d.index = index
	}
	return d.index
}

// precedes reports whether the schema is a changed version of the built-in one, or
// comes before it.
func (d *diversion) precedes(schema, builtIn *flowcontrolv1.FlowSchema) bool {
	if schema.Name == builtIn.Name {
		return true
	}
	if stored := named(d.stored, builtIn.Name); stored != nil {
		builtIn = stored.FlowSchema
	}
	return compareMatchingOrder(schema, builtIn) < 0
}

// finding is FC303 about the schema, if it treats requests of the candidates worse.
func (d *diversion) finding(schema *flowcontrolv1.FlowSchema, candidates []*flowcontrolv1.FlowSchema) []Finding {
	name := schema.Spec.PriorityLevelConfiguration.Name
	rank, exists := d.ranks[name]
	if !exists {
		return nil
	}
	var diverted []*flowcontrolv1.FlowSchema
	var best levelRank
	for _, builtIn := range candidates {
		theirs, exists := d.ranks[builtIn.Spec.PriorityLevelConfiguration.Name]
		if exists && rank.isLess(theirs) {
			if len(diverted) == 0 || best.isLess(theirs) {
				best = theirs
			}
			diverted = append(diverted, builtIn)
		}
	}
	if len(diverted) == 0 {
		return nil
	}
	if len(diverted) == 1 && diverted[0].Name == schema.Name {
		return []Finding{finding(TakesFromBuiltIn, schemaObject(schema.Name), levelField,
			fmt.Sprintf("This built-in FlowSchema was moved to the priority level %q with %v, and its own has %v.", name, rank, best),
			fmt.Sprintf("Name the priority level %q again, or give %q at least as much.", diverted[0].Spec.PriorityLevelConfiguration.Name, name))}
	}
	severity, highest := Warning, int32(0)
	if isDeliberate(schema, diverted) {
		severity = Info
	}
	for _, builtIn := range diverted {
		highest = max(highest, builtIn.Spec.MatchingPrecedence)
	}
	return []Finding{finding(TakesFromBuiltIn, schemaObject(schema.Name), precedenceField,
		fmt.Sprintf("Requests of %s match this FlowSchema first. Its priority level %q has %v, and theirs has %v.", quotedNames(diverted), name, rank, best),
		fmt.Sprintf("Set matchingPrecedence above %d, exclude these requests from the rules, or give %q at least as much.", highest, name)).
		as(severity).relatedTo(objectsOf(diverted)...)}
}

// isDeliberate reports whether the schema names the clients of the built-in schemas one
// by one, each of them a part of the built-in schema's.
func isDeliberate(schema *flowcontrolv1.FlowSchema, diverted []*flowcontrolv1.FlowSchema) bool {
	for _, rule := range rulesOf(schema) {
		for _, builtIn := range diverted {
			for _, theirs := range rulesOf(builtIn) {
				for _, a := range rule.users {
					if slices.ContainsFunc(theirs.users, func(b userset.Set) bool { return a.SurelyIntersects(b) && !isPartOf(a, b) }) {
						return false
					}
				}
			}
		}
	}
	return true
}

// isPartOf reports whether a is one client of a group of them, b.
func isPartOf(a, b userset.Set) bool {
	return (a.Kind == userset.OneServiceAccount || a.Kind == userset.OneUser) && a != b
}

// judgeDiversions judges the schemas that can match, each within its budget.
func (j *judge) judgeDiversions(schemas []*Compared, budgets []*budget.Budget) {
	if len(j.defaults.FlowSchemas) == 0 {
		return
	}
	diverting := newDiversion(j.defaults, comparedOf(j.defaults.FlowSchemas), schemas)
	diverting.ranks = ranksOf(j.levels, j.limits)
	for i, schema := range schemas {
		if !j.shadowed[schema.Name] {
			j.add(diverting.finding(schema.FlowSchema, diverting.candidates(schema, budgets[i]))...)
		}
	}
}
