package lint

import (
	"hash/fnv"
	"io"
	"math"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
)

const nodeUserPrefix = "system:node:"

// userSet is the set of users that a subject selects. It is never empty, and two
// sets are the same if they are equal.
type userSet struct {
	kind userSetKind
	// name is that of the user, the service account or the group.
	name string
	// namespace is that of the service accounts.
	namespace string
}

type userSetKind int

const (
	// everyone is the union of authenticated and unauthenticated.
	everyone userSetKind = iota
	authenticated
	unauthenticated
	serviceAccounts
	serviceAccountsOfNamespace
	oneServiceAccount
	// nodes are the members of system:nodes.
	nodes
	// oneGroup is any group without a kind above, oneUser any such user.
	oneGroup
	oneUser
)

// userSetOf returns the users that a subject selects, and false if there are none.
func userSetOf(s *flowcontrolv1.Subject) (userSet, bool) {
	switch {
	case s.Kind == flowcontrolv1.SubjectKindUser && s.User != nil:
		return userNamed(s.User.Name), true
	case s.Kind == flowcontrolv1.SubjectKindGroup && s.Group != nil:
		return groupNamed(s.Group.Name), true
	case s.Kind == flowcontrolv1.SubjectKindServiceAccount && s.ServiceAccount != nil:
		namespace, name := s.ServiceAccount.Namespace, s.ServiceAccount.Name
		if name == flowcontrolv1.NameAll {
			return userSet{kind: serviceAccountsOfNamespace, namespace: namespace}, true
		}
		return userSet{kind: oneServiceAccount, namespace: namespace, name: name}, true
	default:
		return userSet{}, false
	}
}

func userNamed(name string) userSet {
	switch name {
	case flowcontrolv1.NameAll:
		return userSet{kind: everyone}
	case user.Anonymous:
		return userSet{kind: unauthenticated}
	}
	if rest, ok := strings.CutPrefix(name, serviceaccount.ServiceAccountUsernamePrefix); ok {
		namespace, name, found := strings.Cut(rest, ":")
		if found && namespace != "" && name != "" && !strings.Contains(name, ":") {
			return userSet{kind: oneServiceAccount, namespace: namespace, name: name}
		}
	}
	return userSet{kind: oneUser, name: name}
}

func groupNamed(name string) userSet {
	switch name {
	case flowcontrolv1.NameAll:
		return userSet{kind: everyone}
	case user.AllAuthenticated:
		return userSet{kind: authenticated}
	case user.AllUnauthenticated:
		return userSet{kind: unauthenticated}
	case user.NodesGroup:
		return userSet{kind: nodes}
	case serviceaccount.AllServiceAccountsGroup:
		return userSet{kind: serviceAccounts}
	}
	if namespace, ok := strings.CutPrefix(name, serviceaccount.ServiceAccountGroupPrefix); ok && namespace != "" {
		return userSet{kind: serviceAccountsOfNamespace, namespace: namespace}
	}
	return userSet{kind: oneGroup, name: name}
}

// userSetsOf returns the users that the subjects select. It splits everyone into
// two sets, which different FlowSchemas may take.
func userSetsOf(subjects []flowcontrolv1.Subject) []userSet {
	var sets []userSet
	for i := range subjects {
		switch set, ok := userSetOf(&subjects[i]); {
		case ok && set.kind == everyone:
			sets = append(sets, userSet{kind: authenticated}, userSet{kind: unauthenticated})
		case ok:
			sets = append(sets, set)
		}
	}
	return sets
}

// covers reports whether every user of b is in a.
func (a userSet) covers(b userSet) bool {
	if a == b {
		return true
	}
	switch a.kind {
	case everyone:
		return true
	case authenticated:
		return b.kind != everyone && b.kind != unauthenticated
	case serviceAccounts:
		return b.kind == serviceAccountsOfNamespace || b.kind == oneServiceAccount
	case serviceAccountsOfNamespace:
		return b.kind == oneServiceAccount && b.namespace == a.namespace
	default:
		return false
	}
}

// intersects reports whether some user is in both sets.
func (a userSet) intersects(b userSet) bool {
	if a.covers(b) || b.covers(a) {
		return true
	}
	if a.kind > b.kind {
		a, b = b, a
	}
	switch a.kind {
	case nodes:
		return b.kind == oneUser && strings.HasPrefix(b.name, nodeUserPrefix)
	case oneGroup:
		return true // b is another group, or a user who may be a member
	default:
		return false
	}
}

// surelyIntersects reports whether some user is in both sets, even if no user is in a
// group that nothing requires them to be in.
func (a userSet) surelyIntersects(b userSet) bool {
	return a.covers(b) || b.covers(a) || (a.kind == nodes || b.kind == nodes) && a.intersects(b)
}

// isBroad reports whether the set has users that nobody listed.
func (a userSet) isBroad() bool { return a.kind <= serviceAccounts }

// supersets returns the sets that cover this one, itself included and everyone
// excluded, which userSetsOf does not return.
func (a userSet) supersets() []userSet {
	all := userSet{kind: authenticated}
	switch a.kind {
	case authenticated, unauthenticated:
		return []userSet{a}
	case serviceAccountsOfNamespace:
		return []userSet{a, {kind: serviceAccounts}, all}
	case oneServiceAccount:
		return []userSet{a, {kind: serviceAccountsOfNamespace, namespace: a.namespace}, {kind: serviceAccounts}, all}
	default:
		return []userSet{a, all}
	}
}

// kindsInCommon returns the kinds of the sets, other than supersets, that may have a
// user in common with this one.
func (a userSet) kindsInCommon() []userSetKind {
	switch a.kind {
	case authenticated:
		return []userSetKind{serviceAccounts, serviceAccountsOfNamespace, oneServiceAccount, nodes, oneGroup, oneUser}
	case serviceAccounts:
		return []userSetKind{serviceAccountsOfNamespace, oneServiceAccount}
	case serviceAccountsOfNamespace:
		return []userSetKind{oneServiceAccount}
	case nodes:
		return []userSetKind{oneUser}
	case oneGroup:
		return []userSetKind{oneGroup, oneUser}
	case oneUser:
		return []userSetKind{nodes, oneGroup}
	default:
		return nil
	}
}

// UserMask is a Bloom filter of the users that a FlowSchema selects. Two
// FlowSchemas without a common user need not be compared, and one word each
// excludes most of 10,000. A bit stands for the users whose names, or whose
// namespaces, have the same hash.
type UserMask uint64

// AllUsers is the mask of every user.
const AllUsers UserMask = math.MaxUint64

// MaskOf returns the mask of the FlowSchema's subjects, zero if they select no user.
func MaskOf(schema *flowcontrolv1.FlowSchema) UserMask {
	var mask UserMask
	for i := range schema.Spec.Rules {
		for j := range schema.Spec.Rules[i].Subjects {
			if set, ok := userSetOf(&schema.Spec.Rules[i].Subjects[j]); ok {
				mask |= set.mask()
			}
		}
	}
	return mask
}

// MayIntersect reports whether the masks may have a user in common. If not, they
// have none.
func (m UserMask) MayIntersect(other UserMask) bool { return m&other != 0 }

// mask is one bit for one user and for the service accounts of one namespace,
// and all bits for any other set: group members can have any name.
func (a userSet) mask() UserMask {
	var name string
	switch a.kind {
	case oneUser:
		name = a.name
	case oneServiceAccount, serviceAccountsOfNamespace:
		name = a.namespace
	default:
		return AllUsers
	}
	hash := fnv.New64a()
	_, _ = io.WriteString(hash, name) // never fails
	return 1 << (hash.Sum64() % 64)
}
