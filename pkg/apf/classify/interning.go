package classify

import (
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// The numbers of two special values.
const (
	wildcard uint32 = 0
	// clusterScope is the namespace of a request without a namespace.
	clusterScope uint32 = 1
)

// names maps strings to numbers.
type names map[string]uint32

// intern returns the number of a string, which is the next one if it has none.
func (n names) intern(value string, next *uint32) uint32 {
	number, known := n[value]
	if !known {
		number = *next
		*next++
		n[value] = number
	}
	return number
}

// numbers assigns a number to each string.
type numbers struct {
	names
	next uint32
}

func newNumbers(first uint32) numbers { return numbers{names: names{}, next: first} }

func (n *numbers) intern(value string) uint32 { return n.names.intern(value, &n.next) }

// of returns the number of a string, or the wildcard.
func (n *numbers) of(value string) uint32 { return n.names[value] }

// vocabulary holds the numbers of all values in the schemas. Only the wildcard matches a value
// that is missing.
type vocabulary struct {
	// Subjects share one range of numbers.
	users, groups, accounts names
	subjects                uint32
	// accountColons is the largest number of colons in a key of accounts.
	accountColons int

	verbs, apiGroups, resources, namespaces numbers
	paths                                   paths
}

func newVocabulary() vocabulary {
	return vocabulary{
		users:      names{},
		groups:     names{},
		accounts:   names{},
		subjects:   wildcard + 1,
		verbs:      newNumbers(wildcard + 1),
		apiGroups:  newNumbers(wildcard + 1),
		resources:  newNumbers(wildcard + 1),
		namespaces: newNumbers(clusterScope + 1),
		paths:      newPaths(),
	}
}

// subject returns the number of a subject, and false if it matches nobody.
func (v *vocabulary) subject(s rules.Subject) (uint32, bool) {
	switch s.Kind {
	case rules.User:
		return v.named(v.users, s.Name), true
	case rules.Group:
		return v.named(v.groups, s.Name), true
	case rules.ServiceAccount:
		if s.Name == rules.All {
			v.accountColons = max(v.accountColons, strings.Count(s.Namespace, ":"))
			return v.accounts.intern(s.Namespace, &v.subjects), true
		}
		return v.users.intern(rules.ServiceAccountPrefix+s.Namespace+":"+s.Name, &v.subjects), true
	default:
		return 0, false
	}
}

func (v *vocabulary) named(kind names, name string) uint32 {
	if name == rules.All {
		return wildcard
	}
	return kind.intern(name, &v.subjects)
}

// resourceOf returns the number of the resource and subresource of a request, or the
// wildcard. It joins them on the stack (TestMatchDoesNotAllocate).
func (v *vocabulary) resourceOf(a *flow.Attributes) uint32 {
	if a.Subresource == "" {
		return v.resources.of(a.Resource)
	}
	var stack [128]byte
	joined := append(stack[:0], a.Resource...)
	joined = append(joined, '/')
	joined = append(joined, a.Subresource...)
	return v.resources.names[string(joined)]
}
