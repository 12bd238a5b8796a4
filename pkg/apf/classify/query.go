package classify

import (
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// query is the search for the flow schema of one request.
type query struct {
	vocabulary *vocabulary
	index      *index
	best       uint32 // lowest rank found

	// resolve sets what follows, if it is needed at all: exempt requests do not
	// need it (BenchmarkExempt of package benchmarks).
	resolved bool
	values   values // without the subject
	first    uint64 // see index.lookup
}

// match searches the rows of all subjects of the request.
func (q *query) match(a *flow.Attributes) {
	v := q.vocabulary
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
	v := q.vocabulary
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
	q.best = min(q.best, q.index.matchAll[subject])
	if q.best == 0 {
		return
	}
	if !q.resolved {
		q.resolve(a)
	}
	v := q.values
	v[subjectPlace] = subject
	q.best = q.index.lookup(&v, q.first, q.best)
	for q.index.urls && v[groupPlace] != wildcard {
		v[groupPlace] = q.vocabulary.paths.parents[v[groupPlace]]
		q.best = q.index.lookup(&v, q.first, q.best)
	}
}

// resolve looks up the numbers of the attributes.
func (q *query) resolve(a *flow.Attributes) {
	q.resolved = true
	v := q.vocabulary
	q.values[verbPlace] = v.verbs.of(a.Verb)
	switch {
	case !a.IsResourceRequest:
		q.values[groupPlace] = v.paths.find(a.Path)
	case a.Namespace == "":
		q.values[groupPlace], q.values[resourcePlace], q.values[namespacePlace] = v.apiGroups.of(a.APIGroup), v.resourceOf(a), clusterScope
	default:
		q.values[groupPlace], q.values[resourcePlace], q.values[namespacePlace] = v.apiGroups.of(a.APIGroup), v.resourceOf(a), v.namespaces.of(a.Namespace)
	}
	x := q.index
	q.first = x.firstCovering(verbPlace, q.values[verbPlace]) & x.firstCovering(resourcePlace, q.values[resourcePlace]) &
		x.firstCovering(namespacePlace, q.values[namespacePlace])
}
