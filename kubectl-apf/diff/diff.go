package diff

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// Comparison compares two configurations. Create one with New. It is not safe for
// concurrent use.
type Comparison struct {
	before, after *side
	observed      bool
	moves         moves
	implied       int // requests without groups in the log
	limit         int // of the combinations
}

// New returns a Comparison. now is the engines' time.
func New(before, after configuration.Configuration, now time.Time) *Comparison {
	return &Comparison{before: newSide(before, now), after: newSide(after, now), limit: maxCombinations}
}

// Observe counts a request of an audit log. After the first, Result is about the
// observed requests.
func (c *Comparison) Observe(e *logs.Request) {
	c.observed = true
	c.moves.checked++
	if e.GroupsImplied {
		c.implied++
	}
	a := e.Attributes()
	r := route{c.before.classify(&a), c.after.classify(&a)}
	if r.from != r.to {
		c.moves.add(r, kind{name: a.User, user: a.User, verb: a.Verb, resource: resourceOf(&a), namespace: a.Namespace})
	}
}

// Result returns what the change does.
func (c *Comparison) Result() Result {
	r := Result{
		Objects: c.objects(),
		Basis:   Requests,
		Levels:  c.levels(),
		Notes:   c.notes(),
	}
	if !c.observed {
		r.Basis = Combinations
		s := search{before: c.before, after: c.after, limit: c.limit}
		r.Cut = !s.run(c.changing())
		c.moves = s.moves
		if s.longRunning > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%s not counted: their requests are long-running, and flow control does not govern them.", table.Count(s.longRunning, "combination")))
		}
	}
	r.Checked, r.Moved, r.Moves = c.moves.checked, c.moves.moved, c.moves.result()
	r.FlowSchemas = c.matching()
	if r.Cut {
		r.Notes = append(r.Notes, fmt.Sprintf("There are more than %d combinations, and only these are checked: give an audit log to check real requests.", c.limit))
	}
	return r
}

// Moved returns the names of the users whose requests move, after Result. One that no rule names stands for
// those in a group.
func (c *Comparison) Moved() iter.Seq[string] { return maps.Keys(c.moves.users) }

// notes returns what is assumed about both configurations once, and what differs with
// the configuration that it is about.
func (c *Comparison) notes() []string {
	var both, notes []string
	before, after := c.before.notes, c.after.notes
	for _, note := range before {
		if slices.Contains(after, note) {
			both = append(both, note)
		} else {
			notes = append(notes, "Configuration before: "+note)
		}
	}
	for _, note := range after {
		if !slices.Contains(before, note) {
			notes = append(notes, "Configuration after: "+note)
		}
	}
	notes = slices.Concat(both, notes)
	if c.implied > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d events have no groups: the groups that their users' names imply decide the flow schema.", c.implied, c.moves.checked))
	}
	return notes
}

// side is one of the configurations, enforced.
type side struct {
	*configuration.InForce
	// notes are sentences about what was inferred and left out.
	notes []string
	// schemas and levels are the objects by name, with the mandatory ones.
	schemas map[string]*flowcontrolv1.FlowSchema
	levels  map[string]*flowcontrolv1.PriorityLevelConfiguration
}

func newSide(c configuration.Configuration, now time.Time) *side {
	s := &side{
		InForce: c.InForce(now),
		schemas: map[string]*flowcontrolv1.FlowSchema{},
		levels:  map[string]*flowcontrolv1.PriorityLevelConfiguration{},
	}
	s.notes = slices.Concat(c.Notes, s.Notes)
	all := c.WithMandatory()
	for _, o := range all.FlowSchemas {
		s.schemas[o.Name] = o
	}
	for _, o := range all.PriorityLevels {
		s.levels[o.Name] = o
	}
	return s
}

// classify returns where a request is classified to.
func (s *side) classify(a *flow.Attributes) Place {
	schema := s.Classify(a)
	return Place{FlowSchema: schema.Name, PriorityLevel: schema.Level}
}

// enforces reports whether a schema takes part in matching: its level exists.
func (s *side) enforces(schema *flowcontrolv1.FlowSchema) bool {
	_, exists := s.Levels[schema.Spec.PriorityLevelConfiguration.Name]
	return exists
}
