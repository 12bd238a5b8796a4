package lint

import (
	"strings"

	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

const (
	all = "*"

	nodePrefix         = "system:node:"
	accountsOfPrefix   = serviceaccount.ServiceAccountGroupPrefix
	accountUsersPrefix = serviceaccount.ServiceAccountUsernamePrefix
)

// who is the set of users that a subject means. It is never empty, and two sets
// are the same if they are equal.
type who struct {
	kind whoKind
	// name is that of the user, the service account or the group.
	name string
	// namespace is that of service accounts.
	namespace string
}

type whoKind int

const (
	// everybody is the union of authenticated and anonymous.
	everybody whoKind = iota
	authenticated
	anonymous
	// accounts are all service accounts, accountsOf those of one namespace,
	// account is one of them.
	accounts
	accountsOf
	account
	// nodes are the members of system:nodes.
	nodes
	// members are those of any other group; person is any other user.
	members
	person
)

// whoIs tells whom a subject means, and false if it is nobody.
func whoIs(s *flowcontrol.Subject) (who, bool) {
	switch {
	case s.Kind == flowcontrol.SubjectKindUser && s.User != nil:
		return userNamed(s.User.Name), true
	case s.Kind == flowcontrol.SubjectKindGroup && s.Group != nil:
		return groupNamed(s.Group.Name), true
	case s.Kind == flowcontrol.SubjectKindServiceAccount && s.ServiceAccount != nil:
		namespace, name := s.ServiceAccount.Namespace, s.ServiceAccount.Name
		if name == all {
			return who{kind: accountsOf, namespace: namespace}, true
		}
		return who{kind: account, namespace: namespace, name: name}, true
	default:
		return who{}, false
	}
}

func userNamed(name string) who {
	switch name {
	case all:
		return who{kind: everybody}
	case user.Anonymous:
		return who{kind: anonymous}
	}
	if rest, ok := strings.CutPrefix(name, accountUsersPrefix); ok {
		namespace, name, found := strings.Cut(rest, ":")
		if found && namespace != "" && name != "" && !strings.Contains(name, ":") {
			return who{kind: account, namespace: namespace, name: name}
		}
	}
	return who{kind: person, name: name}
}

func groupNamed(name string) who {
	switch name {
	case all:
		return who{kind: everybody}
	case user.AllAuthenticated:
		return who{kind: authenticated}
	case user.AllUnauthenticated:
		return who{kind: anonymous}
	case user.NodesGroup:
		return who{kind: nodes}
	case serviceaccount.AllServiceAccountsGroup:
		return who{kind: accounts}
	}
	if namespace, ok := strings.CutPrefix(name, accountsOfPrefix); ok && namespace != "" {
		return who{kind: accountsOf, namespace: namespace}
	}
	return who{kind: members, name: name}
}

// covers tells whether every user of b is one of a.
func (a who) covers(b who) bool {
	if a == b {
		return true
	}
	switch a.kind {
	case everybody:
		return true
	case authenticated:
		return b.kind != everybody && b.kind != anonymous
	case accounts:
		return b.kind == accountsOf || b.kind == account
	case accountsOf:
		return b.kind == account && b.namespace == a.namespace
	default:
		return false
	}
}

// meets tells whether some user is of a and of b.
func (a who) meets(b who) bool {
	if a.covers(b) || b.covers(a) {
		return true
	}
	if a.kind > b.kind {
		a, b = b, a
	}
	switch a.kind {
	case nodes:
		return b.kind == person && strings.HasPrefix(b.name, nodePrefix)
	case members:
		return true // of another group, or a person
	default:
		return false
	}
}
