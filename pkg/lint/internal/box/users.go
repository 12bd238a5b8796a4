package box

import (
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// Users is a union of sets of users, to be searched. Everyone is two sets, which different
// flow schemas may match.
type Users struct {
	sets  []rules.Users
	known map[rules.Users]struct{} // nil for few sets
	// kinds has a bit for each kind of the sets, accountsOf the namespaces of single service
	// accounts. hasNode is set if a set is one user with the name of a node.
	kinds      uint
	accountsOf map[string]struct{}
	hasNode    bool
}

// NewUsers returns the union of the sets.
func NewUsers(sets []rules.Users) *Users {
	u := &Users{sets: make([]rules.Users, 0, len(sets))}
	for _, set := range sets {
		if set.Kind == rules.Everyone {
			u.add(rules.Users{Kind: rules.Authenticated})
			set = rules.Users{Kind: rules.Unauthenticated}
		}
		u.add(set)
	}
	if len(u.sets) > fewValues {
		u.known = make(map[rules.Users]struct{}, len(u.sets))
		for _, set := range u.sets {
			u.known[set] = struct{}{}
		}
	}
	return u
}

func (u *Users) add(set rules.Users) {
	u.sets = append(u.sets, set)
	u.kinds |= 1 << set.Kind
	u.hasNode = u.hasNode || isNode(set)
	if set.Kind == rules.OneServiceAccount {
		if u.accountsOf == nil {
			u.accountsOf = map[string]struct{}{}
		}
		u.accountsOf[set.Namespace] = struct{}{}
	}
}

// isNode reports whether the set is one user with the name of a node.
func isNode(set rules.Users) bool {
	return set.Kind == rules.OneUser && strings.HasPrefix(set.Name, rules.NodePrefix)
}

func (u *Users) has(set rules.Users) bool {
	if u.known == nil {
		return slices.Contains(u.sets, set)
	}
	_, found := u.known[set]
	return found
}

func (u *Users) hasKind(kinds ...rules.UsersKind) bool {
	return slices.ContainsFunc(kinds, func(kind rules.UsersKind) bool { return u.kinds&(1<<kind) != 0 })
}

// wider returns the set and the few sets that cover it (rules.Users.Covers).
// The set is not Everyone, and Everyone is not among them.
func wider(set rules.Users) [4]rules.Users {
	all := [4]rules.Users{set, set, set, set}
	if set.Kind != rules.Unauthenticated {
		all[1] = rules.Users{Kind: rules.Authenticated}
	}
	if set.Kind == rules.ServiceAccountsOfNamespace || set.Kind == rules.OneServiceAccount {
		all[2] = rules.Users{Kind: rules.ServiceAccounts}
		all[3] = rules.Users{Kind: rules.ServiceAccountsOfNamespace, Namespace: set.Namespace}
	}
	return all
}

// covers reports whether one of the sets covers the set.
func (u *Users) covers(set rules.Users) bool {
	for i, one := range wider(set) {
		if (i == 0 || one != set) && u.has(one) {
			return true
		}
	}
	return false
}

// coversSome reports whether the set covers one of the sets.
func (u *Users) coversSome(set rules.Users) bool {
	switch set.Kind {
	case rules.Authenticated:
		return u.kinds&^(1<<rules.Unauthenticated) != 0
	case rules.ServiceAccounts:
		return u.hasKind(rules.ServiceAccounts, rules.ServiceAccountsOfNamespace, rules.OneServiceAccount)
	case rules.ServiceAccountsOfNamespace:
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
// (rules.Users.SurelyIntersects).
func (u *Users) surelyMeets(set rules.Users) bool {
	return u.covers(set) || u.coversSome(set) || set.Kind == rules.Nodes && u.hasNode || isNode(set) && u.hasKind(rules.Nodes)
}

// mayMeet is surelyMeets for users in any groups (rules.Users.Intersects).
func (u *Users) mayMeet(set rules.Users) bool {
	switch set.Kind {
	case rules.OneGroup:
		if u.hasKind(rules.OneGroup, rules.OneUser) {
			return true
		}
	case rules.OneUser:
		if u.hasKind(rules.OneGroup) {
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
	var met []rules.Users
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
