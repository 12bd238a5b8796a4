package isolate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/diff"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// Input is the operator, and what is known of its cluster.
type Input struct {
	// Accounts are the operator's.
	Accounts []source.Account
	// May asks the API server whether an account may send a request, as source.Source does; nil if
	// nobody can be asked.
	May func(account source.Account, what authorizationv1.ResourceAttributes) (bool, error)
	// Critical returns a critical pod of an account, as source.Source does; nil if nobody can be asked.
	Critical      func(account source.Account) (string, error)
	Configuration configuration.Configuration
	Facts         source.Facts
	// Demote is a user to demote instead: all requests of this user go to a level of the fewest seats. For is how
	// long that is meant.
	Demote string
	For    time.Duration
	// Self is the user of the caller, who is not demoted; empty if it is unknown.
	Self string
	// Name is the name of the level and the flow schemas; empty for one after the accounts.
	Name string
	// Seats are what the level gets on one API server; 0 for a thirtieth of them.
	Seats int
	Now   time.Time
}

// Result are the objects, and what applying them does.
type Result struct {
	Name string `json:"name"`
	// Accounts are the operator's. Demoted is the user who is demoted; then the operator's are empty, or the one
	// that the user is.
	Accounts []source.Account `json:"serviceAccounts"`
	Demoted  string           `json:"demoted,omitempty"`
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

// Run makes the objects. Its error is a sentence about why there are none.
func Run(in Input) (*Result, error) {
	plan := newPlan
	if in.Demote != "" {
		plan = newDemotion
	}
	p, err := plan(&in)
	if err != nil {
		return nil, err
	}
	return p.result()
}

// plan is what is found out before the objects are made.
type plan struct {
	*Input
	name    string
	current inForce
	// leases and events are nil if there are none.
	leases *leases
	events *events
	size   size
	notes  []string
}

func newPlan(in *Input) (*plan, error) {
	p := &plan{Input: in, current: inForce{in.Configuration.InForce(in.Now)}}
	if err := p.checkAccounts(); err != nil {
		return nil, err
	}
	var err error
	if p.name, err = nameOf(in.Name, p.Accounts); err != nil {
		return nil, err
	}
	for _, missing := range p.Facts.Missing {
		p.notef("%s: %s", missing.What, missing.Why)
	}
	p.findLeases()
	p.findEvents()
	p.size, err = p.findSize()
	return p, err
}

// nameOf returns the name of the level.
func nameOf(given string, accounts []source.Account) (string, error) {
	if given != "" {
		if faults := validation.IsDNS1123Subdomain(given); len(faults) > 0 {
			return "", fmt.Errorf("--name is %q: %s", given, faults[0])
		}
		return given, nil
	}
	first := accounts[0]
	switch {
	case slices.ContainsFunc(accounts, func(a source.Account) bool { return a.Namespace != first.Namespace }):
		return "", fmt.Errorf("%s are of several namespaces: --name is required, the name of their priority level", listOf(accounts))
	case len(accounts) > 1 || first.Name == everyAccount:
		return first.Namespace, nil
	case strings.HasPrefix(first.Name, first.Namespace):
		return first.Name, nil
	default:
		return first.Namespace + "-" + first.Name, nil
	}
}

// checkAccounts returns an error about an account that does not exist, if that is known.
func (p *plan) checkAccounts() error {
	if len(p.Accounts) == 0 {
		return errors.New("a service account is required")
	}
	for _, a := range p.Accounts {
		faults := validation.IsDNS1123Label(a.Namespace)
		if a.Name != everyAccount {
			faults = append(faults, validation.IsDNS1123Subdomain(a.Name)...)
		}
		if len(faults) > 0 {
			return fmt.Errorf("no service account can be called %s: %s", a, faults[0])
		}
		if a.Name == everyAccount {
			if p.Facts.Namespaces != nil && !slices.Contains(p.Facts.Namespaces, a.Namespace) {
				return fmt.Errorf("the namespace %q does not exist in the cluster: correct the name, or give --offline and --release if it is not created yet", a.Namespace)
			}
			continue
		}
		if p.Facts.ServiceAccounts != nil && !slices.Contains(p.Facts.ServiceAccounts[a.Namespace], a.Name) {
			return fmt.Errorf("the service account %s does not exist in the cluster: correct the name, or give --offline and --release if it is not installed yet", a)
		}
	}
	return nil
}

func (p *plan) notef(format string, arguments ...any) {
	if text := fmt.Sprintf(format, arguments...); !slices.Contains(p.notes, text) {
		p.notes = append(p.notes, text)
	}
}

// listOf names service accounts.
func listOf(accounts []source.Account) string {
	names := make([]string, len(accounts))
	for i, a := range accounts {
		names[i] = a.String()
	}
	return strings.Join(names, ", ")
}
