package classify

import (
	"math/bits"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// query is one request on its way through the index.
type query struct {
	classifier *Classifier
	index      *index
	best       uint32 // rank

	// What follows is not known before it is needed: requests that are exempt
	// need none of it.
	known  bool
	values values
	verb   uint // its bit in sets of verbs
	// possible holds the shapes that tuples covering the request may have.
	possible shapeSet
	// long is that of the index, or nil if no row in it can match. strict is
	// that of its lookup.
	long   *long
	strict uint
}

// The places in values.
const (
	verbPlace = iota
	groupPlace
	resourcePlace
	namespacePlace
)

func (q *query) aboutResource(a *flow.Attributes) {
	v := &q.classifier.vocabulary
	q.values = values{
		verbPlace:     v.verbs.of[a.Verb],
		groupPlace:    v.apiGroups.of[a.APIGroup],
		resourcePlace: v.resourceOf(a),
	}
	q.verb = verbBit(q.values[verbPlace])
	q.possible = q.namespaceOf(a)
	if q.values[groupPlace] == wildcard {
		q.possible &= anyGroup
	}
	if q.values[resourcePlace] == wildcard {
		q.possible &= anyResource
	}
	if l := q.index.long; l != nil && l.promises(q.values, q.strict) {
		q.long = l
	}
}

// namespaceOf notes the namespace and returns the shapes that cover it.
func (q *query) namespaceOf(a *flow.Attributes) shapeSet {
	if a.Namespace == "" {
		q.values[namespacePlace] = clusterScope
		q.strict = 1 << namespacePlace
		return noNamespace
	}
	q.values[namespacePlace] = q.classifier.vocabulary.namespaces.of[a.Namespace]
	if q.values[namespacePlace] == wildcard {
		return anyNamespace
	}
	return anyNamespace | oneNamespace
}

func (q *query) aboutURL(a *flow.Attributes) {
	v := &q.classifier.vocabulary
	q.values = values{
		verbPlace:  v.verbs.of[a.Verb],
		groupPlace: v.paths.find(a.Path),
	}
	q.verb = verbBit(q.values[verbPlace])
	q.strict = 1 << groupPlace
	q.long = q.index.long
}

// from looks at all that the request's subjects may match.
func (q *query) from(a *flow.Attributes) {
	v := &q.classifier.vocabulary
	if number, known := v.users[a.User]; known {
		q.subject(number, a)
	}
	for _, group := range a.Groups {
		if q.best == 0 {
			return
		}
		if number, known := v.groups[group]; known {
			q.subject(number, a)
		}
	}
	if len(v.accounts) > 0 {
		q.account(a)
	}
	q.subject(wildcard, a)
}

// account looks at what all service accounts of the user's namespace match.
func (q *query) account(a *flow.Attributes) {
	v := &q.classifier.vocabulary
	account, is := strings.CutPrefix(a.User, serviceAccountPrefix)
	if !is {
		return
	}
	// A namespace has no colon, but who is to say that every user name with
	// the prefix was made for a service account?
	colons := 0
	for i := 0; i < len(account) && colons <= v.accountColons; i++ {
		if account[i] == ':' {
			colons++
			if number, known := v.accounts[account[:i]]; known {
				q.subject(number, a)
			}
		}
	}
}

// subject looks at what one of the request's subjects may match.
func (q *query) subject(subject uint32, a *flow.Attributes) {
	if everything := q.index.subjects[subject].everything; everything > 0 {
		q.best = min(q.best, everything-1)
	}
	if q.best == 0 {
		return
	}
	if !q.known {
		q.know(a)
	}
	if a.IsResourceRequest {
		q.subjectOfResource(subject)
	} else {
		q.subjectOfURL(subject)
	}
}

func (q *query) know(a *flow.Attributes) {
	q.known = true
	if a.IsResourceRequest {
		q.aboutResource(a)
	} else {
		q.aboutURL(a)
	}
}

func (q *query) subjectOfResource(subject uint32) {
	s := &q.index.subjects[subject]
	for set := s.of[q.verb] & q.possible; set != 0; set &= set - 1 {
		shape := bits.TrailingZeros16(uint16(set))
		if s.lowest[shape] >= q.best {
			continue
		}
		key := tuple{subject}
		if shape&groupBit != 0 {
			key[groupPlace] = q.values[groupPlace]
		}
		if shape&resourceBit != 0 {
			key[resourcePlace] = q.values[resourcePlace]
		}
		if shape&(namespaceBit|clusterBit) != 0 {
			key[namespacePlace] = q.values[namespacePlace]
		}
		q.best = q.index.tuples.lookup(key, q.verb, q.best)
	}
	if q.long != nil {
		q.best = q.long.lookup(subject, q.values, q.strict, q.best)
	}
}

func (q *query) subjectOfURL(subject uint32) {
	s := &q.index.subjects[subject]
	v := q.values
	for {
		url := v[groupPlace]
		if s.of[q.verb]&(1<<shapeOf(url, wildcard, wildcard)) != 0 {
			q.best = q.index.tuples.lookup(tuple{subject, url}, q.verb, q.best)
		}
		if q.long != nil {
			q.best = q.long.lookup(subject, v, q.strict, q.best)
		}
		if url == wildcard {
			return
		}
		v[groupPlace] = q.classifier.vocabulary.paths.parents[url]
	}
}
