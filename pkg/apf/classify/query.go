package classify

import (
	"math/bits"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// query is the search for the flow schema of one request.
type query struct {
	classifier *Classifier
	index      *index
	best       uint32 // lowest rank found

	// resolve sets what follows, if it is needed at all: exempt requests do not
	// need it (BenchmarkExempt of package benchmarks).
	resolved bool
	values   values
	verb     uint // its bit in sets of verbs
	// possible holds the shapes of the tuples that could match.
	possible shapeSet
	// bitmaps is the index's, or nil if no row in it can match.
	bitmaps *bitmapIndex
	strict  uint // see bitmapIndex.sets
}

// The elements of values.
const (
	verbPlace = iota
	groupPlace
	resourcePlace
	namespacePlace
)

func (q *query) resolveResource(a *flow.Attributes) {
	v := &q.classifier.vocabulary
	q.values = values{
		verbPlace:     v.verbs.of(a.Verb),
		groupPlace:    v.apiGroups.of(a.APIGroup),
		resourcePlace: v.resourceOf(a),
	}
	q.verb = verbBit(q.values[verbPlace])
	q.possible = q.resolveNamespace(a)
	if q.values[groupPlace] == wildcard {
		q.possible &= anyGroup
	}
	if q.values[resourcePlace] == wildcard {
		q.possible &= anyResource
	}
	if x := q.index.bitmaps; x != nil && x.canMatch(q.values, q.strict) {
		q.bitmaps = x
	}
}

// resolveNamespace sets the namespace and returns the shapes that cover it.
func (q *query) resolveNamespace(a *flow.Attributes) shapeSet {
	if a.Namespace == "" {
		q.values[namespacePlace] = clusterScope
		q.strict = 1 << namespacePlace
		return noNamespace
	}
	q.values[namespacePlace] = q.classifier.vocabulary.namespaces.of(a.Namespace)
	if q.values[namespacePlace] == wildcard {
		return anyNamespace
	}
	return anyNamespace | oneNamespace
}

func (q *query) resolveURL(a *flow.Attributes) {
	v := &q.classifier.vocabulary
	q.values = values{
		verbPlace:  v.verbs.of(a.Verb),
		groupPlace: v.paths.find(a.Path),
	}
	q.verb = verbBit(q.values[verbPlace])
	q.strict = 1 << groupPlace
	q.bitmaps = q.index.bitmaps
}

// match searches the rows of all subjects of the request.
func (q *query) match(a *flow.Attributes) {
	v := &q.classifier.vocabulary
	if number, known := v.users[a.User]; known {
		q.matchSubject(number, a)
	}
	for _, group := range a.Groups {
		if q.best == 0 {
			return
		}
		if number, known := v.groups[group]; known {
			q.matchSubject(number, a)
		}
	}
	if len(v.accounts) > 0 {
		q.matchServiceAccounts(a)
	}
	q.matchSubject(wildcard, a)
}

// matchServiceAccounts searches the rows of "all service accounts of a namespace".
func (q *query) matchServiceAccounts(a *flow.Attributes) {
	v := &q.classifier.vocabulary
	account, is := strings.CutPrefix(a.User, rules.ServiceAccountPrefix)
	if !is {
		return
	}
	// A namespace has no colon, but a user name with the prefix need not belong to a service
	// account, and a schema may name any namespace.
	colons := 0
	for i := 0; i < len(account) && colons <= v.accountColons; i++ {
		if account[i] == ':' {
			colons++
			if number, known := v.accounts[account[:i]]; known {
				q.matchSubject(number, a)
			}
		}
	}
}

// matchSubject searches the rows of one subject.
func (q *query) matchSubject(subject uint32, a *flow.Attributes) {
	q.best = min(q.best, q.index.subjects[subject].matchAll)
	if q.best == 0 {
		return
	}
	if !q.resolved {
		q.resolve(a)
	}
	if a.IsResourceRequest {
		q.matchResource(subject)
	} else {
		q.matchURL(subject)
	}
}

// resolve looks up the numbers of the attributes.
func (q *query) resolve(a *flow.Attributes) {
	q.resolved = true
	if a.IsResourceRequest {
		q.resolveResource(a)
	} else {
		q.resolveURL(a)
	}
}

func (q *query) matchResource(subject uint32) {
	s := &q.index.subjects[subject]
	for set := s.byVerb[q.verb] & q.possible; set != 0; set &= set - 1 {
		shape := bits.TrailingZeros16(uint16(set))
		if s.first[shape] >= q.best {
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
		q.best = min(q.best, q.index.tuples.lookup(key, q.verb))
	}
	if q.bitmaps != nil {
		q.best = q.bitmaps.lookup(subject, q.values, q.strict, q.best)
	}
}

func (q *query) matchURL(subject uint32) {
	s := &q.index.subjects[subject]
	v := q.values
	for {
		url := v[groupPlace]
		if s.byVerb[q.verb]&(1<<shapeOf(url, wildcard, wildcard)) != 0 {
			q.best = min(q.best, q.index.tuples.lookup(tuple{subject, url}, q.verb))
		}
		if q.bitmaps != nil {
			q.best = q.bitmaps.lookup(subject, v, q.strict, q.best)
		}
		if url == wildcard {
			return
		}
		v[groupPlace] = q.classifier.vocabulary.paths.parents[url]
	}
}
