package simulate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/configsync"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// loggedName is the number of bytes of a name in a line of httplog.
const loggedName = 64

// placement finds the flow schemas of requests. If a request's user or groups are unknown, its
// schema is the one that the trace names, unless the configuration may have moved it.
type placement struct {
	schemas map[string]*flowcontrolv1.FlowSchema
	// changed are the schemas whose requests differ from the baseline's, in matching order, as they
	// would match any user.
	changed []rules.Schema
	names   map[string]string // full names by those in the trace

	byTrace  int64            // requests that the trace placed
	unplaced map[string]int64 // requests that are left out, by the reason
}

// newPlacement returns the placement for a configuration. The trace names the flow schemas
// of the baseline.
func newPlacement(baseline, candidate configuration.Configuration) *placement {
	p := &placement{schemas: byName(candidate), names: map[string]string{}, unplaced: map[string]int64{}}
	before := byName(baseline)
	var changed []*flowcontrolv1.FlowSchema
	for name, schema := range p.schemas {
		if former := before[name]; former == nil || !apiequality.Semantic.DeepEqual(former.Spec.Rules, schema.Spec.Rules) ||
			former.Spec.MatchingPrecedence != schema.Spec.MatchingPrecedence {
			changed = append(changed, forAnyUser(schema))
		}
	}
	translated, _ := configsync.NewTranslator().Translate(nil, changed) // newReplica returns the problems
	p.changed = translated.Schemas
	return p
}

// byName returns the flow schemas, the mandatory ones as they are built in if they are missing.
func byName(c configuration.Configuration) map[string]*flowcontrolv1.FlowSchema {
	schemas := make(map[string]*flowcontrolv1.FlowSchema, len(c.FlowSchemas))
	for _, schema := range slices.Concat(bootstrap.MandatoryFlowSchemas, c.FlowSchemas) {
		schemas[schema.Name] = schema
	}
	return schemas
}

// forAnyUser returns a schema with the rules of another one, for all users.
func forAnyUser(schema *flowcontrolv1.FlowSchema) *flowcontrolv1.FlowSchema {
	out := schema.DeepCopy()
	for i := range out.Spec.Rules {
		out.Spec.Rules[i].Subjects = []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: flowcontrolv1.NameAll}}}
	}
	return out
}

// known reports whether the flow schema of a request is known. Otherwise it counts the
// request as left out.
func (p *placement) known(r *trace.Request) bool {
	if p.byAttributes(r) {
		return true
	}
	var why string
	switch name := p.nameOf(r.FlowSchema); {
	case r.FlowSchema == "":
		why = "the trace names neither their users nor their flow schemas"
	case name == "":
		why = fmt.Sprintf("the trace has no users of theirs, and the configuration no flow schema %q", r.FlowSchema)
	case p.mayMove(r, name):
		why = fmt.Sprintf("the trace has no users of theirs, and changed flow schemas may match what %q matched", name)
	default:
		p.byTrace++
		return true
	}
	p.unplaced[why]++
	return false
}

// byAttributes reports whether the attributes decide: the user and the groups are known, or
// the user is, and the flow schema in the trace is not.
func (p *placement) byAttributes(r *trace.Request) bool {
	return r.User != "" && (len(r.Groups) > 0 || p.nameOf(r.FlowSchema) == "")
}

// classify classifies a request whose schema is known.
func (p *placement) classify(r *trace.Request, into *engine.Request) {
	into.Attributes = r.Attributes()
	if !p.byAttributes(r) {
		if r.User == "" {
			into.Attributes.User = r.Client // a program has a flow, as if it were a user
		}
		if into.ClassifyAs(p.nameOf(r.FlowSchema)) {
			return
		}
	}
	into.Classify()
}

// nameOf returns the name of the flow schema that the trace names, possibly cut off; "" if
// there is none, or if there are several.
func (p *placement) nameOf(logged string) string {
	if name, found := p.names[logged]; found {
		return name
	}
	name := ""
	if p.schemas[logged] != nil {
		name = logged
	} else if len(logged) == loggedName {
		name = onlyOneWith(logged, p.schemas)
	}
	p.names[logged] = name
	return name
}

func onlyOneWith(prefix string, schemas map[string]*flowcontrolv1.FlowSchema) (found string) {
	for name := range schemas {
		switch {
		case !strings.HasPrefix(name, prefix):
		case found != "":
			return ""
		default:
			found = name
		}
	}
	return found
}

// mayMove reports whether a request of a schema of the baseline may be another's now: the
// schema itself changed, or one before it that did matches the request of some user.
func (p *placement) mayMove(r *trace.Request, name string) bool {
	if len(p.changed) == 0 {
		return false
	}
	of, a := p.schemas[name], r.Attributes()
	return slices.ContainsFunc(p.changed, func(s rules.Schema) bool { return s.Name == name || precedes(&s, of) && matches(&s, &a) })
}

func precedes(s *rules.Schema, other *flowcontrolv1.FlowSchema) bool {
	return cmp.Or(cmp.Compare(s.Precedence, other.Spec.MatchingPrecedence), cmp.Compare(s.Name, other.Name)) < 0
}

func matches(s *rules.Schema, a *flow.Attributes) bool {
	_, matches := s.Match(a)
	return matches
}

// left returns the number of requests that are left out.
func (p *placement) left() (count int64) {
	for _, n := range p.unplaced {
		count += n
	}
	return count
}

// notes returns sentences about what was assumed and left out, of the read requests.
func (p *placement) notes(read int64) []string {
	var notes []string
	if p.byTrace > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d requests have the flow schema that the trace names: it lacks their users or groups. The user agent stands for a user that is unknown.", p.byTrace, read))
	}
	for _, why := range slices.Sorted(maps.Keys(p.unplaced)) {
		notes = append(notes, fmt.Sprintf("%d of %d requests are left out, and what they would do is unknown: %s. An audit log of the same time names users.", p.unplaced[why], read, why))
	}
	return notes
}
