// Package userset compares the sets of users that the subjects of flow schemas select: see Users in the
// comment of package lint.
package userset

import (
	"strings"

	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// NodePrefix begins the user name of a node.
const NodePrefix = "system:node:"

// Set is the set of users that a subject selects. It is never empty, and two sets are
// the same if they are equal.
type Set struct {
	Kind Kind
	// Name is the name of the user, the service account or the group.
	Name string
	// Namespace is the namespace of the service accounts.
	Namespace string
}

// Kind is a kind of Set.
type Kind int

// The kinds of Set.
const (
	// Everyone is the union of Authenticated and Unauthenticated.
	Everyone Kind = iota
	Authenticated
	Unauthenticated
	ServiceAccounts
	ServiceAccountsOfNamespace
	OneServiceAccount
	// Nodes are the members of system:nodes.
	Nodes
	// OneGroup is any group without a kind above, OneUser any user without one.
	OneGroup
	OneUser
)

// Of returns the users that a subject selects, and false if there are none.
func Of(s rules.Subject) (Set, bool) {
	switch s.Kind {
	case rules.User:
		return userNamed(s.Name), true
	case rules.Group:
		return groupNamed(s.Name), true
	case rules.ServiceAccount:
		if s.Name == rules.All {
			return Set{Kind: ServiceAccountsOfNamespace, Namespace: s.Namespace}, true
		}
		return Set{Kind: OneServiceAccount, Namespace: s.Namespace, Name: s.Name}, true
	default:
		return Set{}, false
	}
}

func userNamed(name string) Set {
	switch name {
	case rules.All:
		return Set{Kind: Everyone}
	case user.Anonymous:
		return Set{Kind: Unauthenticated}
	}
	if namespace, name, err := serviceaccount.SplitUsername(name); err == nil {
		return Set{Kind: OneServiceAccount, Namespace: namespace, Name: name}
	}
	return Set{Kind: OneUser, Name: name}
}

func groupNamed(name string) Set {
	switch name {
	case rules.All:
		return Set{Kind: Everyone}
	case user.AllAuthenticated:
		return Set{Kind: Authenticated}
	case user.AllUnauthenticated:
		return Set{Kind: Unauthenticated}
	case user.NodesGroup:
		return Set{Kind: Nodes}
	case serviceaccount.AllServiceAccountsGroup:
		return Set{Kind: ServiceAccounts}
	}
	if namespace, ok := strings.CutPrefix(name, serviceaccount.ServiceAccountGroupPrefix); ok && namespace != "" {
		return Set{Kind: ServiceAccountsOfNamespace, Namespace: namespace}
	}
	return Set{Kind: OneGroup, Name: name}
}

// Covers reports whether every user of b is in a.
func (a Set) Covers(b Set) bool {
	if a == b {
		return true
	}
	switch a.Kind {
	case Everyone:
		return true
	case Authenticated:
		return b.Kind != Everyone && b.Kind != Unauthenticated
	case ServiceAccounts:
		return b.Kind == ServiceAccountsOfNamespace || b.Kind == OneServiceAccount
	case ServiceAccountsOfNamespace:
		return b.Kind == OneServiceAccount && b.Namespace == a.Namespace
	default:
		return false
	}
}

// Intersects reports whether some user is in both sets.
func (a Set) Intersects(b Set) bool {
	if a.Covers(b) || b.Covers(a) {
		return true
	}
	if a.Kind > b.Kind {
		a, b = b, a
	}
	switch a.Kind {
	case Nodes:
		return b.Kind == OneUser && strings.HasPrefix(b.Name, NodePrefix)
	case OneGroup:
		return true // b is another group, or a user who may be a member
	default:
		return false
	}
}

// SurelyIntersects reports whether some user is in both sets, even if no user is in a
// group that nothing requires them to be in.
func (a Set) SurelyIntersects(b Set) bool {
	return a.Covers(b) || b.Covers(a) || (a.Kind == Nodes || b.Kind == Nodes) && a.Intersects(b)
}

// IsBroad reports whether the set has users that nobody listed.
func (a Set) IsBroad() bool { return a.Kind <= ServiceAccounts }
