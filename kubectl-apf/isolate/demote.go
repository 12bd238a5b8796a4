package isolate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

const (
	// demotedShares are the fewest shares of a level that has seats.
	demotedShares = 1
	// demotedWaiting is how many requests of a demoted user may wait.
	demotedWaiting = 10
)

// newDemotion is newPlan for Input.Demote.
func newDemotion(in *Input) (*plan, error) {
	if err := demotable(in.Demote); err != nil {
		return nil, err
	}
	if in.Demote == in.Self {
		return nil, fmt.Errorf("%q is not demoted: it is your own user, whose requests would wait too when you undo it", in.Demote)
	}
	p := &plan{Input: in, current: inForce{in.Configuration.InForce(in.Now)}}
	label := in.Demote
	if namespace, name, err := serviceaccount.SplitUsername(in.Demote); err == nil {
		p.Accounts = []source.Account{{Namespace: namespace, Name: name}}
		label = namespace + "-" + name
	}
	if err := p.checkAccounts(); len(p.Accounts) > 0 && err != nil {
		return nil, err
	}
	if err := p.isNotNeeded(); err != nil {
		return nil, err
	}
	var err error
	p.name, err = nameOf(cmp.Or(in.Name, "demoted-"+slug(label)), p.Accounts)
	for _, missing := range p.Facts.Missing {
		p.notef("%s: %s", missing.What, missing.Why)
	}
	return p, err
}

// slug returns a text as a part of the name of an object.
func slug(text string) string {
	const longest = 50
	text = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(text))
	return cmp.Or(strings.Trim(text[:min(len(text), longest)], "-"), "user")
}

// demotion returns the objects that demote the user.
func (p *plan) demotion() ([]Object, error) {
	between := p.demotedBounds()
	precedences, err := between.choose([]string{p.name})
	if err != nil {
		return nil, err
	}
	everything := []string{flowcontrolv1.VerbAll}
	schema := p.schema(&part{
		level: p.name,
		rules: []flowcontrolv1.ResourcePolicyRule{{Verbs: everything, APIGroups: everything, Resources: everything, ClusterScope: true, Namespaces: everything}},
		paths: []flowcontrolv1.NonResourcePolicyRule{{Verbs: everything, NonResourceURLs: everything}},
	}, precedences[0])
	if len(p.Accounts) == 0 {
		schema.Spec.Rules[0].Subjects = []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: p.Demote}}}
	}
	level := p.level()
	limited := level.Spec.Limited
	limited.NominalConcurrencyShares, limited.LendablePercent, limited.BorrowingLimitPercent = new(int32(demotedShares)), nil, new(int32)
	limited.LimitResponse.Queuing = &flowcontrolv1.QueuingConfiguration{Queues: 1, HandSize: 1, QueueLengthLimit: demotedWaiting}
	expires := p.Now.Add(p.For).UTC().Format(time.RFC3339)
	schema.Annotations = map[string]string{names.ExpiresAnnotation: expires}
	level.Annotations = schema.Annotations
	seats := applied(p.Configuration, []Object{{PriorityLevel: level}}).NominalLimits()[p.name]
	objects := []Object{{PriorityLevel: level, Why: []string{
		fmt.Sprintf("It has %d of %d seats on each API server, as few as shares can give, and borrows none. %d requests may wait; further ones get 429. Without seats, kube-apiserver would still execute one request at a time.",
			seats, cmp.Or(p.Configuration.Total, configuration.DefaultTotal), demotedWaiting),
		fmt.Sprintf("It is meant until %s. Nothing deletes it then; kubectl apf lint reports it.", expires),
	}}, {FlowSchema: schema, Why: []string{
		fmt.Sprintf("It matches every request of %s that %s (%d) and schemas before it do not keep: exempt requests, and leader elections with a schema there. Other leases wait too, so the user may lose a leader election.",
			p.Demote, between.lowerSchema, between.lower),
		fmt.Sprintf("Those gain who share %s with it today. To undo:", strings.Join(p.levelsToday(), ", ")),
		"kubectl delete flowschema,prioritylevelconfiguration " + p.name,
	}}}
	return objects, p.clash(objects)
}

// levelsToday returns the levels of the requests of the user that no rule names, before the change.
func (p *plan) levelsToday() []string {
	var levels []string
	for _, namespace := range []string{other, ""} {
		request := p.demotedRequest()
		request.Namespace = namespace
		levels = append(levels, p.current.Classify(&request).Level)
	}
	slices.Sort(levels)
	return slices.Compact(levels)
}

func (p *plan) demotedRequest() flow.Attributes {
	return flow.Attributes{User: p.Demote, Groups: trace.WellKnownGroups(p.Demote), IsResourceRequest: true, Verb: other, APIGroup: other, Resource: other, Namespace: other}
}

// demotedBounds are the bounds for the schema: schemas of leader election and of exempt levels keep requests of
// the user, and the first other one that may match some must come later.
func (p *plan) demotedBounds() bounds {
	b := bounds{lower: 1, lowerSchema: rules.Exempt, upper: flowcontrolv1.FlowSchemaMaxMatchingPrecedence, upperSchema: rules.CatchAll, used: map[int32]bool{}}
	request := p.demotedRequest()
	schemas := p.current.Schemas()
	for _, s := range schemas {
		b.used[s.Precedence] = true
	}
	for _, s := range schemas {
		switch {
		case !mayMatch(s, &request):
		case s.Level == leaseLevel || p.current.Levels[s.Level].Config.Discipline == queueset.Exempt:
			b.lower, b.lowerSchema = s.Precedence, s.Name
		default:
			b.upper, b.upperSchema = s.Precedence, s.Name
			return b
		}
	}
	return b
}
