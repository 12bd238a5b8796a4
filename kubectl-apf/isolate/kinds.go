package isolate

import (
	"errors"

	authorizationv1 "k8s.io/api/authorization/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

const (
	leaseGroup = "coordination.k8s.io"
	// leaseLevel is the built-in level of leader elections.
	leaseLevel = "leader-election"
	// maxAsked is the number of namespaces that are asked for one by one.
	maxAsked = 200
)

// mayLead reports whether an account may update or create leases. A right to update may name leases, and then
// only the right to create shows. What nobody says is assumed.
func (p *plan) mayLead(account source.Account, namespace string) bool {
	for _, verb := range []string{"update", "create"} {
		if p.May == nil {
			break
		}
		allowed, err := p.May(account, authorizationv1.ResourceAttributes{Verb: verb, Group: leaseGroup, Resource: "leases", Namespace: namespace})
		switch {
		case err == nil && allowed:
			return true
		case err == nil:
			continue
		case !errors.Is(err, source.ErrNoReviews):
			p.notef("%s", err)
		}
		p.May = nil
	}
	if p.May != nil {
		return false
	}
	p.notef("No API server says what %s may do: it is assumed to use leases.", account)
	return true
}

// leases are the requests of leader elections.
type leases struct {
	namespaces []string
	why        string
}

// mayLeadIn returns the namespaces where the accounts may create or update leases; NamespaceAll means all.
func (p *plan) mayLeadIn() sets.Set[string] {
	allowed := sets.New[string]()
	for _, account := range p.Accounts {
		if p.mayLead(account, metav1.NamespaceAll) {
			allowed.Insert(metav1.NamespaceAll)
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
	return allowed
}

// findLeases sets the requests of leader elections: in the namespaces where the accounts may use
// leases.
func (p *plan) findLeases() {
	allowed := p.mayLeadIn()
	l := &leases{namespaces: sets.List(allowed), why: "It may create or update leases in these namespaces."}
	switch {
	case len(allowed) == 0:
		p.notef("It may not create or update leases, so no flow schema is made for leader election.")
		return
	case allowed.Has(metav1.NamespaceAll):
		l.namespaces, l.why = []string{flowcontrolv1.NamespaceEvery}, "It may use leases in all namespaces: these are all."
	}
	if !p.current.hasLevel(leaseLevel) {
		p.notef("The priority level %q does not exist, so leases are in the operator's level: create it again, and repeat this.", leaseLevel)
		return
	}
	p.leases = l
}
