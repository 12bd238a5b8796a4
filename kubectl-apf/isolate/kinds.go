package isolate

import (
	"errors"
	"slices"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

const (
	leaseGroup  = "coordination.k8s.io"
	eventsGroup = "events.k8s.io"
	// leaseLevel is the built-in level of leader elections.
	leaseLevel = "leader-election"
	// maxAsked is the number of namespaces that are asked for one by one.
	maxAsked = 200
)

// leaseVerbs are the verbs of a leader election by leases.
func leaseVerbs() []string { return []string{"get", "create", "update"} }

// eventVerbs are the verbs that write events.
func eventVerbs() []string { return []string{"create", "update", "patch"} }

// may reports whether an account may send a request. What nobody says is assumed.
func (p *plan) may(account source.Account, verb, group, resource, namespace string) bool {
	if p.May != nil && account.Name != everyAccount {
		allowed, err := p.May(account, authorizationv1.ResourceAttributes{Verb: verb, Group: group, Resource: resource, Namespace: namespace})
		if err == nil {
			return allowed
		}
		if !errors.Is(err, source.ErrNoReviews) {
			p.notef("%s", err)
		}
		p.May = nil
	}
	if p.May != nil {
		p.notef("It is not known which service accounts the namespace %q has: they are assumed to use leases and to write events.", account.Namespace)
		return true
	}
	p.notef("No API server says what %s may do: it is assumed to use leases and to write events.", account)
	return true
}

// maxKnown is the number of service accounts of a namespace whose permissions are asked for.
const maxKnown = 20

// known returns the accounts. All accounts of a namespace are replaced by the ones it has, if they are known.
func (p *plan) known() (all []source.Account) {
	for _, account := range p.Accounts {
		names := p.Facts.ServiceAccounts[account.Namespace]
		if account.Name != everyAccount || len(names) == 0 {
			all = append(all, account)
			continue
		}
		if len(names) > maxKnown {
			p.notef("The namespace %q has %d service accounts: only the first %d were asked for.", account.Namespace, len(names), maxKnown)
		}
		for _, name := range names[:min(len(names), maxKnown)] {
			all = append(all, source.Account{Namespace: account.Namespace, Name: name})
		}
	}
	return all
}

// leases are the requests of leader elections.
type leases struct {
	namespaces []string
	why        string
}

// mayLead reports whether an account may create or update leases. A right to update may name
// leases, and then only the right to create shows.
func (p *plan) mayLead(account source.Account, namespace string) bool {
	return p.may(account, "update", leaseGroup, "leases", namespace) || p.may(account, "create", leaseGroup, "leases", namespace)
}

// mayLeadIn returns the namespaces where the accounts may create or update leases; the wildcard alone for all.
func (p *plan) mayLeadIn() []string {
	allowed := sets.New[string]()
	for _, account := range p.known() {
		if p.mayLead(account, metav1.NamespaceAll) {
			allowed.Insert(rules.All)
			continue
		}
		asked := append([]string{account.Namespace, metav1.NamespaceSystem}, p.Facts.Namespaces...)
		if len(asked) > maxAsked {
			p.notef("There are %d namespaces, and it was asked of the first %d of them whether %s may use leases there.", len(p.Facts.Namespaces), maxAsked-2, account)
			asked = asked[:maxAsked]
		}
		for _, namespace := range asked {
			if !allowed.Has(namespace) && p.mayLead(account, namespace) {
				allowed.Insert(namespace)
			}
		}
	}
	if allowed.Has(rules.All) {
		return []string{rules.All}
	}
	return sets.List(allowed)
}

// findLeases sets the requests of leader elections: in the namespaces where the accounts may use
// leases.
func (p *plan) findLeases() {
	allowed := p.mayLeadIn()
	l := &leases{namespaces: allowed, why: "It may create or update leases in these namespaces."}
	switch {
	case len(allowed) == 0:
		p.notef("It may not create or update leases, so no flow schema is made for leader election.")
		return
	case allowed[0] == rules.All:
		l.why = "It may use leases in all namespaces: these are all."
	}
	if !p.current.hasLevel(leaseLevel) {
		p.notef("The priority level %q does not exist, so leases are in the operator's level: create it again, and repeat this.", leaseLevel)
		return
	}
	p.leases = l
}

// events are the writes of events.
type events struct {
	groups     []string
	level, why string
}

// findEvents sets the writes of events.
func (p *plan) findEvents() {
	var groups []string
	for _, group := range []string{corev1.GroupName, eventsGroup} {
		if slices.ContainsFunc(p.known(), func(account source.Account) bool {
			return p.may(account, "create", group, "events", metav1.NamespaceAll) ||
				p.may(account, "create", group, "events", account.Namespace) || p.may(account, "create", group, "events", metav1.NamespaceDefault)
		}) {
			groups = append(groups, group)
		}
	}
	if len(groups) == 0 {
		p.notef("It may not create events, so no flow schema is made for them.")
		return
	}
	level, why := p.current.eventLevel(p.Accounts)
	p.events = &events{groups: groups, level: level, why: why}
}
