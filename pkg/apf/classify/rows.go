package classify

import (
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// row is one resource rule or one non-resource rule. Its values are numbers.
type row struct {
	rank uint32 // of its schema
	// lists are the values, by place. In rows of non-resource rules the lists of resources and of
	// namespaces have the wildcard.
	lists [places][]uint32
	// matchesAll reports whether the row matches every request of its kind, resource
	// or not, of its subjects.
	matchesAll bool
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
	b.yielder.spend(n)
	if cap(b.numbers)-len(b.numbers) < n {
		b.numbers = make([]uint32, 0, max(n, numbersPerPage))
	}
	return len(b.numbers)
}

// add adds the rows of the schema with a rank.
func (b *rowBuilder) add(rank uint32, schema *rules.Schema) {
	for i := range schema.Rules {
		rule := &schema.Rules[i]
		subjects := b.subjects(rule.Subjects)
		for j := range rule.ResourceRules {
			b.resources = append(b.resources, b.resourceRow(rank, subjects, &rule.ResourceRules[j]))
		}
		for j := range rule.NonResourceRules {
			b.urls = append(b.urls, b.urlRow(rank, subjects, &rule.NonResourceRules[j]))
		}
	}
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
	verbs, groups, resources := b.list(rule.Verbs, &v.verbs), b.list(rule.APIGroups, &v.apiGroups), b.list(rule.Resources, &v.resources)
	namespaces := b.list(rule.Namespaces, &v.namespaces)
	matchesAll := rule.ClusterScope && allHaveWildcard(verbs, groups, resources, namespaces)
	if rule.ClusterScope {
		start := b.startList(len(namespaces) + 1)
		b.numbers = append(append(b.numbers, namespaces...), clusterScope)
		namespaces = b.endList(start)
	}
	return row{rank, [places][]uint32{subjects, verbs, groups, resources, namespaces}, matchesAll}
}

func (b *rowBuilder) urlRow(rank uint32, subjects []uint32, rule *rules.NonResourceRule) row {
	start := b.startList(2 * len(rule.URLs))
	b.numbers = b.vocabulary.paths.appendNumbers(rule.URLs, b.numbers)
	urls := b.endList(start)
	verbs := b.list(rule.Verbs, &b.vocabulary.verbs)
	return row{rank, [places][]uint32{subjects, verbs, urls, b.onlyWildcard, b.onlyWildcard}, allHaveWildcard(verbs, urls)}
}
