package lint

import (
	"hash/fnv"
	"io"
	"math"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// Users is a sketch of the users that a schema is about, in one word, so that
// most of 10,000 schemas need not be looked at: a schema tells of another only if
// the two have a user in common. A bit stands for all users whose names have one
// hash, or their namespaces; whoever is in a group may have any name.
type Users uint64

// Anybody may be any user.
const Anybody Users = math.MaxUint64

// UsersOf is the sketch of the schema's subjects; zero if they mean nobody.
func UsersOf(schema *flowcontrol.FlowSchema) Users {
	var users Users
	for i := range schema.Spec.Rules {
		for j := range schema.Spec.Rules[i].Subjects {
			if set, ok := whoIs(&schema.Spec.Rules[i].Subjects[j]); ok {
				users |= set.sketch()
			}
		}
	}
	return users
}

// MayMeet tells whether there may be a user of both; if not, there is none.
func (u Users) MayMeet(other Users) bool { return u&other != 0 }

// sketch is one bit for one user and for the service accounts of one namespace,
// all bits for any other set.
func (a who) sketch() Users {
	var name string
	switch a.kind {
	case person:
		name = a.name
	case account, accountsOf:
		name = a.namespace
	default:
		return Anybody
	}
	hash := fnv.New64a()
	_, _ = io.WriteString(hash, name) // a hash takes all
	return 1 << (hash.Sum64() % 64)
}
