package lint

import (
	"hash/fnv"
	"io"
	"math"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/userset"
)

// usersOf returns the users that a subject selects, and false if there are none.
func usersOf(s *flowcontrolv1.Subject) (userset.Set, bool) {
	subject, err := rules.SubjectOf(s)
	if err != nil {
		return userset.Set{}, false
	}
	return userset.Of(subject)
}

// usersOfAll returns the users that the subjects select. It splits everyone into
// two sets, which different FlowSchemas may match.
func usersOfAll(subjects []flowcontrolv1.Subject) []userset.Set {
	var sets []userset.Set
	for i := range subjects {
		switch set, ok := usersOf(&subjects[i]); {
		case ok && set.Kind == userset.Everyone:
			sets = append(sets, userset.Set{Kind: userset.Authenticated}, userset.Set{Kind: userset.Unauthenticated})
		case ok:
			sets = append(sets, set)
		}
	}
	return sets
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
			if set, ok := usersOf(&schema.Spec.Rules[i].Subjects[j]); ok {
				mask |= maskOf(set)
			}
		}
	}
	return mask
}

// MayIntersect reports whether the masks may have a user in common. If not, they
// have none.
func (m UserMask) MayIntersect(other UserMask) bool { return m&other != 0 }

// maskOf returns one bit for one user and for the service accounts of one namespace,
// and all bits for any other set: group members can have any name.
func maskOf(a userset.Set) UserMask {
	var name string
	switch a.Kind {
	case userset.OneUser:
		name = a.Name
	case userset.OneServiceAccount, userset.ServiceAccountsOfNamespace:
		name = a.Namespace
	default:
		return AllUsers
	}
	hash := fnv.New64a()
	_, _ = io.WriteString(hash, name) // never fails
	return 1 << (hash.Sum64() % 64)
}
