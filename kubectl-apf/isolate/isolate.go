package isolate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/diff"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// Input is the operator, and what is known of its cluster.
type Input struct {
	// Roles are the cluster's. Their Accounts are the operator's.
	Roles         source.Roles
	Configuration configuration.Configuration
	Facts         source.Facts
	// Requests yields the requests of a log, of all users, each time that it is called;
	// nil without a log.
	Requests func(yield func(*trace.Request) error) error
	// Name is the name of the level and the flow schemas; empty for one after the accounts.
	Name string
	// Seats are what the level gets on one API server; 0 if they are to be found.
	Seats int
	Now   time.Time
}

// Result are the objects, and what applying them does.
type Result struct {
	Name     string           `json:"name"`
	Accounts []source.Account `json:"serviceAccounts"`
	// Roles are bound to the accounts, such as "ClusterRole edit".
	Roles []string `json:"roles"`
	// Objects are the level and then the flow schemas, in matching order.
	Objects []Object `json:"objects"`
	// Diff is what applying them does.
	Diff diff.Result `json:"diff"`
	// Findings are what applying them adds.
	Findings []lint.Finding `json:"findings"`
	// Notes are sentences about what was assumed, and what was left out.
	Notes []string `json:"notes,omitempty"`
}

// Object is an object to apply: FlowSchema or PriorityLevel is set.
type Object struct {
	FlowSchema    *flowcontrolv1.FlowSchema                 `json:"flowSchema,omitempty"`
	PriorityLevel *flowcontrolv1.PriorityLevelConfiguration `json:"priorityLevelConfiguration,omitempty"`
	// Why are sentences about it, with what was assumed.
	Why []string `json:"why"`
}

// Kind returns the kind of the object.
func (o *Object) Kind() string { return o.source().Kind() }

// Name returns the name of the object.
func (o *Object) Name() string { return o.source().Name() }

func (o *Object) source() source.Object {
	return source.Object{FlowSchema: o.FlowSchema, PriorityLevel: o.PriorityLevel, APIVersion: flowcontrolv1.SchemeGroupVersion.String()}
}

// ErrNoRoles means that nothing is known of what the accounts do.
var ErrNoRoles = errors.New("no role is bound to it and no log is given, so nothing is known of its requests: give its roles with -f, or a log")

// Run makes the objects. Its error is a sentence about why there are none.
func Run(in Input) (*Result, error) {
	p, err := newPlan(&in)
	if err != nil {
		return nil, err
	}
	return p.result()
}

// plan is what is found out before the objects are made.
type plan struct {
	*Input
	name     string
	accounts []source.Account
	grants   []grant
	usage    *usage
	current  *inForce
	// leases and events are nil if there are none.
	leases *leases
	events *events
	size   size
	notes  []string
}

func newPlan(in *Input) (*plan, error) {
	p := &plan{Input: in, accounts: in.Roles.Accounts, usage: newUsage(in.Roles.Accounts), current: newInForce(in.Configuration, in.Now)}
	if len(p.accounts) == 0 {
		return nil, errors.New("a service account must be given")
	}
	var err error
	if p.name, err = nameOf(in.Name, p.accounts); err != nil {
		return nil, err
	}
	if in.Requests != nil {
		if err := in.Requests(p.usage.add); err != nil {
			return nil, err
		}
		if p.usage.requests == 0 {
			return nil, fmt.Errorf("the log has no request of %s%s", listOf(p.accounts), p.usage.unknownUsers())
		}
	}
	p.noteMissing()
	if err := p.readRoles(); err != nil {
		return nil, err
	}
	p.notes = append(p.notes, p.usage.notes()...)
	p.findLeases()
	p.findEvents()
	p.size, err = p.findSize()
	return p, err
}

// nameOf returns the name of the level.
func nameOf(given string, accounts []source.Account) (string, error) {
	first := accounts[0]
	switch {
	case given != "":
		if faults := validation.IsDNS1123Subdomain(given); len(faults) > 0 {
			return "", fmt.Errorf("--name is %q: %s", given, faults[0])
		}
		return given, nil
	case slices.ContainsFunc(accounts, func(a source.Account) bool { return a.Namespace != first.Namespace }):
		return "", fmt.Errorf("%s are of several namespaces: --name must be given, the name of their priority level", listOf(accounts))
	case len(accounts) > 1:
		return first.Namespace, nil
	case strings.HasPrefix(first.Name, first.Namespace):
		return first.Name, nil
	default:
		return first.Namespace + "-" + first.Name, nil
	}
}

// readRoles sets the grants. It is an error if nothing is known of the requests.
func (p *plan) readRoles() error {
	for _, account := range p.accounts {
		grants, unknown := grantsOf(&p.Roles, account)
		if len(unknown) > 0 {
			p.notef("%s is bound to %s, and its rules are unknown: give its manifest with -f.", strings.Join(unknown, ", "), account)
		}
		switch {
		case len(grants) > 0:
		case p.usage.requests > 0:
			p.notef("No role of %s is known: its requests come from the log alone.", account)
		case len(p.Roles.Missing)+len(unknown) == 0:
			return fmt.Errorf("service account %s: %w", account, ErrNoRoles)
		default:
			p.notef("It is assumed that %s may do everything.", account)
			grants = []grant{{account: account, rule: everyRule()}}
		}
		p.grants = append(p.grants, grants...)
	}
	for i := range p.grants {
		if g := &p.grants[i]; g.isEverything() && g.role != "" && p.usage.requests == 0 {
			p.notef("%s lets %s do everything. It is assumed to use leases and to write events; a log would tell.", g.role, g.account)
		}
	}
	return nil
}

// noteMissing notes what could not be read.
func (p *plan) noteMissing() {
	for _, missing := range p.Roles.Missing {
		p.notef("%s: %s Further rights are possible.", missing.What, missing.Why)
	}
	for _, missing := range p.Facts.Missing {
		p.notef("%s: %s", missing.What, missing.Why)
	}
}

func (p *plan) notef(format string, arguments ...any) {
	if text := fmt.Sprintf(format, arguments...); !slices.Contains(p.notes, text) {
		p.notes = append(p.notes, text)
	}
}

// user returns the name of the user that a service account is.
func user(a source.Account) string { return serviceaccount.MakeUsername(a.Namespace, a.Name) }

// listOf names service accounts.
func listOf(accounts []source.Account) string {
	names := make([]string, len(accounts))
	for i, a := range accounts {
		names[i] = a.String()
	}
	return strings.Join(names, ", ")
}
