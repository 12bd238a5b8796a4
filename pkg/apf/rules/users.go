package rules

import "strings"

// The users and groups that k8s.io/apiserver names, and the prefix of the group of the
// service accounts of a namespace.
const (
	anonymous            = "system:anonymous"
	authenticatedGroup   = "system:authenticated"
	unauthenticatedGroup = "system:unauthenticated"
	nodesGroup           = "system:nodes"
	allServiceAccounts   = "system:serviceaccounts"
	accountsPrefix       = "system:serviceaccounts:"
)

// NodePrefix begins the user name of a node.
const NodePrefix = "system:node:"

// Users is the set of users that a subject selects. It is never empty, and two sets are
// the same if they are equal.
type Users struct {
	Kind UsersKind
	// Name is the name of the user, the service account or the group.
	Name string
	// Namespace is the namespace of the service accounts.
	Namespace string
}

// UsersKind is a kind of Users.
type UsersKind int

// The kinds of Users.
const (
	// Everyone is the union of Authenticated and Unauthenticated.
	Everyone UsersKind = iota
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

// Users returns the users that the subject selects, and false if there are none.
func (s *Subject) Users() (Users, bool) {
	switch s.Kind {
	case User:
		return userNamed(s.Name), true
	case Group:
		return groupNamed(s.Name), true
	case ServiceAccount:
		if s.Name == All {
			return Users{Kind: ServiceAccountsOfNamespace, Namespace: s.Namespace}, true
		}
		return Users{Kind: OneServiceAccount, Namespace: s.Namespace, Name: s.Name}, true
	default:
		return Users{}, false
	}
}

func userNamed(name string) Users {
	switch name {
	case All:
		return Users{Kind: Everyone}
	case anonymous:
		return Users{Kind: Unauthenticated}
	}
	if namespace, name, ok := serviceAccount(name); ok {
		return Users{Kind: OneServiceAccount, Namespace: namespace, Name: name}
	}
	return Users{Kind: OneUser, Name: name}
}

// serviceAccount returns the namespace and the name of the service account that a user is.
func serviceAccount(user string) (namespace, name string, ok bool) {
	rest, ok := strings.CutPrefix(user, ServiceAccountPrefix)
	if !ok {
		return "", "", false
	}
	namespace, name, ok = strings.Cut(rest, ":")
	if !ok || namespace == "" || name == "" || strings.Contains(name, ":") {
		return "", "", false
	}
	return namespace, name, true
}

func groupNamed(name string) Users {
	switch name {
	case All:
		return Users{Kind: Everyone}
	case authenticatedGroup:
		return Users{Kind: Authenticated}
	case unauthenticatedGroup:
		return Users{Kind: Unauthenticated}
	case nodesGroup:
		return Users{Kind: Nodes}
	case allServiceAccounts:
		return Users{Kind: ServiceAccounts}
	}
	if namespace, ok := strings.CutPrefix(name, accountsPrefix); ok && namespace != "" {
		return Users{Kind: ServiceAccountsOfNamespace, Namespace: namespace}
	}
	return Users{Kind: OneGroup, Name: name}
}

// Covers reports whether every user of b is in a.
func (a Users) Covers(b Users) bool {
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
func (a Users) Intersects(b Users) bool {
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
func (a Users) SurelyIntersects(b Users) bool {
	return a.Covers(b) || b.Covers(a) || (a.Kind == Nodes || b.Kind == Nodes) && a.Intersects(b)
}

// IsBroad reports whether the set has users that nobody listed.
func (a Users) IsBroad() bool { return a.Kind <= ServiceAccounts }
