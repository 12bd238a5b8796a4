package box

import (
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/userset"
)

// Users is a union of sets of users, to be searched. Everyone is two sets, which different
// flow schemas may match.
type Users struct {
	sets  []userset.Set
	known map[userset.Set]struct{} // nil for few sets
	// kinds has a bit for each kind of the sets, accountsOf the namespaces of single service
	// accounts. hasNode is set if a set is one user with the name of a node.
	kinds      uint
	accountsOf map[string]struct{}
	hasNode    bool
}

// NewUsers returns the union of the sets.
func NewUsers(sets []userset.Set) *Users {
	u := &Users{sets: make([]userset.Set, 0, len(sets))}
	for _, set := range sets {
		if set.Kind == userset.Everyone {
			u.add(userset.Set{Kind: userset.Authenticated})
			set = userset.Set{Kind: userset.Unauthenticated}
		}
		u.add(set)
	}
	if len(u.sets) > fewValues {
		u.known = make(map[userset.Set]struct{}, len(u.sets))
		for _, set := range u.sets {
			u.known[set] = struct{}{}
		}
	}
	return u
}

func (u *Users) add(set userset.Set) {
	u.sets = append(u.sets, set)
	u.kinds |= 1 << set.Kind
	u.hasNode = u.hasNode || isNode(set)
	if set.Kind == userset.OneServiceAccount {
		if u.accountsOf == nil {
			u.accountsOf = map[string]struct{}{}
		}
		u.accountsOf[set.Namespace] = struct{}{}
	}
}

// isNode reports whether the set is one user with the name of a node.
func isNode(set userset.Set) bool {
	return set.Kind == userset.OneUser && strings.HasPrefix(set.Name, userset.NodePrefix)
}

func (u *Users) has(set userset.Set) bool {
	if u.known == nil {
		return slices.Contains(u.sets, set)
	}
	_, found := u.known[set]
	return found
}

func (u *Users) hasKind(kinds ...userset.Kind) bool {
	return slices.ContainsFunc(kinds, func(kind userset.Kind) bool { return u.kinds&(1<<kind) != 0 })
}

// wider returns the set and the few sets that cover it (userset.Set.Covers).
// The set is not Everyone, and Everyone is not among them.
func wider(set userset.Set) [4]userset.Set {
	all := [4]userset.Set{set, set, set, set}
	if set.Kind != userset.Unauthenticated {
		all[1] = userset.Set{Kind: userset.Authenticated}
	}
	if set.Kind == userset.ServiceAccountsOfNamespace || set.Kind == userset.OneServiceAccount {
		all[2] = userset.Set{Kind: userset.ServiceAccounts}
		all[3] = userset.Set{Kind: userset.ServiceAccountsOfNamespace, Namespace: set.Namespace}
	}
	return all
}

// covers reports whether one of the sets covers the set.
func (u *Users) covers(set userset.Set) bool {
	for i, one := range wider(set) {
		if (i == 0 || one != set) && u.has(one) {
			return true
		}
	}
	return false
}

// coversSome reports whether the set covers one of the sets.
func (u *Users) coversSome(set userset.Set) bool {
	switch set.Kind {
	case userset.Authenticated:
		return u.kinds&^(1<<userset.Unauthenticated) != 0
	case userset.ServiceAccounts:
		return u.hasKind(userset.ServiceAccounts, userset.ServiceAccountsOfNamespace, userset.OneServiceAccount)
	case userset.ServiceAccountsOfNamespace:
		_, found := u.accountsOf[set.Namespace]
		return found || u.has(set)
	default:
		return u.has(set)
	}
}

// coversSomeOf reports whether one of the sets covers one of the other's.
func (u *Users) coversSomeOf(other *Users) bool {
	if len(other.sets) <= len(u.sets) {
		return slices.ContainsFunc(other.sets, u.covers)
	}
	return slices.ContainsFunc(u.sets, other.coversSome)
}

// surelyMeets reports whether some user is in the set and in one of the sets
// (userset.Set.SurelyIntersects).
func (u *Users) surelyMeets(set userset.Set) bool {
	return u.covers(set) || u.coversSome(set) || set.Kind == userset.Nodes && u.hasNode || isNode(set) && u.hasKind(userset.Nodes)
}

// mayMeet is surelyMeets for users in any groups (userset.Set.Intersects).
func (u *Users) mayMeet(set userset.Set) bool {
	switch set.Kind {
	case userset.OneGroup:
		if u.hasKind(userset.OneGroup, userset.OneUser) {
			return true
		}
	case userset.OneUser:
		if u.hasKind(userset.OneGroup) {
			return true
		}
	}
	return u.surelyMeets(set)
}

// intersects reports whether some user is in both. If sure is not set, users may be in any
// groups.
func (u *Users) intersects(other *Users, sure bool) bool {
	if len(u.sets) < len(other.sets) {
		u, other = other, u
	}
	meets := u.mayMeet
	if sure {
		meets = u.surelyMeets
	}
	return slices.ContainsFunc(other.sets, meets)
}

// meet returns the users that are surely in both. It is too large where neither of two sets
// covers the other. The work grows with the product of the numbers of sets.
func (u *Users) meet(other *Users) *Users {
	var met []userset.Set
	for _, theirs := range other.sets {
		for _, own := range u.sets {
			switch {
			case own.Covers(theirs):
				met = append(met, theirs)
			case own.SurelyIntersects(theirs):
				met = append(met, own)
			}
		}
	}
	return NewUsers(met)
}
