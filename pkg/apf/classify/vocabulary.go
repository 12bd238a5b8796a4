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

// numbers assigns a number to each string.
type numbers struct {
	names
	next uint32
}

func newNumbers(first uint32) numbers { return numbers{names: newNames(), next: first} }

func (n *numbers) intern(value string) uint32 {
	number, known := n.find(value)
	if !known {
		number = n.next
		n.next++
		n.add(value, number)
	}
	return number
}

// of returns the number of a string, or the wildcard.
func (n *numbers) of(value string) uint32 {
	number, _ := n.find(value)
	return number
}

// vocabulary holds the numbers of all values in the schemas, and of some that former
// versions had. Only the wildcard matches a value that is missing.
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
		users:      newNames(),
		groups:     newNames(),
		accounts:   newNames(),
		subjects:   wildcard + 1,
		verbs:      newNumbers(wildcard + 1),
		apiGroups:  newNumbers(wildcard + 1),
		resources:  newNumbers(wildcard + 1),
		namespaces: newNumbers(clusterScope + 1),
		paths:      newPaths(),
	}
}

// finish ends the additions to a version.
func (v *vocabulary) finish() {
	v.paths.setParents()
	for _, n := range []*names{
		&v.users, &v.groups, &v.accounts, &v.verbs.names, &v.apiGroups.names, &v.resources.names, &v.namespaces.names,
		&v.paths.exact, &v.paths.prefix,
	} {
		n.finish()
	}
}

// size returns the number of values that have a number.
func (v *vocabulary) size() int {
	return int(v.subjects+v.verbs.next+v.apiGroups.next+v.resources.next+v.namespaces.next) + len(v.paths.parents)
}

// subject returns the number of a subject, and false if it matches nobody.
func (v *vocabulary) subject(s rules.Subject) (uint32, bool) {
	switch s.Kind {
	case rules.User:
		return v.named(&v.users, s.Name), true
	case rules.Group:
		return v.named(&v.groups, s.Name), true
	case rules.ServiceAccount:
		if s.Name == rules.All {
			v.accountColons = max(v.accountColons, strings.Count(s.Namespace, ":"))
			return v.internSubject(&v.accounts, s.Namespace), true
		}
		return v.internSubject(&v.users, rules.ServiceAccountPrefix+s.Namespace+":"+s.Name), true
	default:
		return 0, false
	}
}

func (v *vocabulary) named(kind *names, name string) uint32 {
	if name == rules.All {
		return wildcard
	}
	return v.internSubject(kind, name)
}

func (v *vocabulary) internSubject(kind *names, name string) uint32 {
	number, known := kind.find(name)
	if !known {
		number = v.subjects
		v.subjects++
		kind.add(name, number)
	}
	return number
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
	number, known := v.resources.base[string(joined)] // find would allocate the string
	if !known && len(v.resources.added) > 0 {
		number = v.resources.added[string(joined)]
	}
	return number
}
