package classify

import (
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// row is one resource rule or one non-resource rule. Its values are numbers.
type row struct {
	rank     uint32 // of its schema
	subjects []uint32
	verbs    []uint32
	// With the subject, the lists that tuples are made of. In rows of non-resource
	// rules groups holds the URLs, and the others hold the wildcard.
	groups, resources, namespaces []uint32
	// matchesAll reports whether the row matches every request of its kind, resource
	// or not, of its subjects.
	matchesAll bool

	// The shapes of the tuples and the set of verbs, if the row is in the table.
	shapes  shapeSet
	verbSet uint64
}

// allHaveWildcard reports whether each list contains the wildcard.
func allHaveWildcard(lists ...[]uint32) bool {
	for _, list := range lists {
		if !slices.Contains(list, wildcard) {
			return false
		}
	}
	return true
}

// size returns the number of tuples of the row.
func (r *row) size() int {
	size := len(r.subjects)
	for _, length := range []int{len(r.groups), len(r.resources), len(r.namespaces)} {
		// Saturate: long lists would overflow.
		size = min(size*length, 1<<30)
	}
	if len(r.verbs) == 0 {
		return 0
	}
	return size
}

// verbBits returns the verbs as a bit set, and false if a verb has no bit of its own.
func (r *row) verbBits() (uint64, bool) {
	set := uint64(0)
	for _, verb := range r.verbs {
		switch {
		case verb == wildcard:
			set = anyVerb
		case verb > verbsOfBits:
			return 0, false
		default:
			set |= 1 << verbBit(verb)
		}
	}
	return set, true
}

// verbBit returns the bit of a verb.
func verbBit(verb uint32) uint {
	if verb == wildcard || verb > verbsOfBits {
		return otherVerbs
	}
	return uint(verb - 1)
}

// rowBuilder makes the rows of schemas and completes the vocabulary.
type rowBuilder struct {
	vocabulary      *vocabulary
	yielder         *yielder
	resources, urls []row // of resource rules and of non-resource rules
	// numbers holds the lists of many rows, in sequence: allocating each
	// list would take longer than filling it (BenchmarkNew).
	numbers []uint32
	// onlyWildcard is the most frequent list.
	onlyWildcard []uint32
}

// numbersPerPage is how many list elements are allocated at once.
const numbersPerPage = 4096

// endList returns the list that was appended to numbers from start on.
func (b *rowBuilder) endList(start int) []uint32 {
	return b.numbers[start:len(b.numbers):len(b.numbers)]
}

// startList makes room for a list of at most n numbers and returns its start.
func (b *rowBuilder) startList(n int) int {
	if cap(b.numbers)-len(b.numbers) < n {
		b.numbers = make([]uint32, 0, max(n, numbersPerPage))
	}
	return len(b.numbers)
}

// add adds the rows of the schema with a rank.
func (b *rowBuilder) add(rank uint32, schema *rules.Schema) {
	for i := range schema.Rules {
		rule := &schema.Rules[i]
		b.yielder.spend(valuesOf(rule))
		subjects := b.subjects(rule.Subjects)
		for j := range rule.ResourceRules {
			b.resources = append(b.resources, b.resourceRow(rank, subjects, &rule.ResourceRules[j]))
		}
		for j := range rule.NonResourceRules {
			b.urls = append(b.urls, b.urlRow(rank, subjects, &rule.NonResourceRules[j]))
		}
	}
}

// valuesOf returns the number of values in the lists of the rule.
func valuesOf(r *rules.Rule) int {
	n := len(r.Subjects)
	for i := range r.ResourceRules {
		one := &r.ResourceRules[i]
		n += len(one.Verbs) + len(one.APIGroups) + len(one.Resources) + len(one.Namespaces)
	}
	for i := range r.NonResourceRules {
		n += len(r.NonResourceRules[i].Verbs) + len(r.NonResourceRules[i].URLs)
	}
	return n
}

func (b *rowBuilder) subjects(subjects []rules.Subject) []uint32 {
	start := b.startList(len(subjects))
	for _, s := range subjects {
		if number, matches := b.vocabulary.subject(s); matches {
			b.numbers = append(b.numbers, number)
		}
	}
	return b.endList(start)
}

func (b *rowBuilder) list(values []string, numbers *numbers) []uint32 {
	if rules.IsAll(values) {
		return b.onlyWildcard
	}
	start := b.startList(len(values))
	for _, value := range values {
		b.numbers = append(b.numbers, numbers.intern(value))
	}
	return b.endList(start)
}

func (b *rowBuilder) resourceRow(rank uint32, subjects []uint32, rule *rules.ResourceRule) row {
	v := b.vocabulary
	r := row{
		rank:       rank,
		subjects:   subjects,
		verbs:      b.list(rule.Verbs, &v.verbs),
		groups:     b.list(rule.APIGroups, &v.apiGroups),
		resources:  b.list(rule.Resources, &v.resources),
		namespaces: b.list(rule.Namespaces, &v.namespaces),
	}
	if rule.ClusterScope {
		r.matchesAll = allHaveWildcard(r.verbs, r.groups, r.resources, r.namespaces)
		start := b.startList(len(r.namespaces) + 1)
		b.numbers = append(append(b.numbers, r.namespaces...), clusterScope)
		r.namespaces = b.endList(start)
	}
	return r
}

func (b *rowBuilder) urlRow(rank uint32, subjects []uint32, rule *rules.NonResourceRule) row {
	start := b.startList(2 * len(rule.URLs))
	b.numbers = b.vocabulary.paths.appendNumbers(rule.URLs, b.numbers)
	urls := b.endList(start)
	verbs := b.list(rule.Verbs, &b.vocabulary.verbs)
	return row{
		rank:       rank,
		subjects:   subjects,
		verbs:      verbs,
		groups:     urls,
		resources:  b.onlyWildcard,
		namespaces: b.onlyWildcard,
		matchesAll: allHaveWildcard(verbs, urls),
	}
}
