package classify

import (
	"runtime"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

const (
	// A table holds at most minBudget tuples, or budgetPerRow for each row,
	// whichever is more.
	minBudget    = 1 << 18
	budgetPerRow = 4
)

// Classifier finds the flow schema of a request. It is safe for concurrent use:
// but for its memo it is immutable.
type Classifier struct {
	schemas []*rules.Schema // in matching order
	ranks   []uint32        // by the number of a schema: its place in schemas

	vocabulary      vocabulary
	resources, urls index

	// builder makes the next version. The newest version owns it, which may be a later one.
	builder *builder
}

// New returns a Classifier of the schemas, whose names must differ. Time and memory are
// proportional to the size of the schemas. It yields its processor regularly.
func New(schemas []rules.Schema) *Classifier {
	return newClassifier(schemas, budget{minBudget, budgetPerRow})
}

func newClassifier(schemas []rules.Schema, limit budget) *Classifier {
	own := slices.Clone(schemas)
	pointers := make([]*rules.Schema, len(own))
	for i := range own {
		pointers[i] = &own[i]
	}
	return build(pointers, limit)
}

// build returns a Classifier of schemas, whose order it changes.
func build(sorted []*rules.Schema, limit budget) *Classifier {
	c := &Classifier{schemas: sorted, ranks: make([]uint32, len(sorted)), vocabulary: newVocabulary()}
	b := &builder{newest: c, budget: limit, ids: make(map[string]uint32, len(sorted)), order: make([]uint32, len(sorted))}
	c.builder = b
	sortInMatchingOrder(sorted, &b.yielder)
	rows := newRowBuilder(&c.vocabulary, &b.yielder, numbersPerPage)
	for i, schema := range sorted {
		number := uint32(i)
		c.ranks[i], b.order[i], b.ids[schema.Name] = number, number, number
		resources, urls := rows.rows(number, schema)
		b.resources.schemas, b.urls.schemas = append(b.resources.schemas, resources), append(b.urls.schemas, urls)
	}
	c.vocabulary.finish()
	b.size = c.vocabulary.size()
	c.resources = b.resources.index(b, c.vocabulary.subjects, resourceSizes(&c.vocabulary))
	c.urls = b.urls.index(b, c.vocabulary.subjects, urlSizes(&c.vocabulary))
	return c
}

// resourceSizes returns the numbers of values that the vocabulary has for the lists of the
// rows of resource rules.
func resourceSizes(v *vocabulary) [4]uint32 {
	return [4]uint32{v.verbs.next, v.apiGroups.next, v.resources.next, v.namespaces.next}
}

// urlSizes returns the same for the rows of non-resource rules.
func urlSizes(v *vocabulary) [4]uint32 {
	return [4]uint32{v.verbs.next, uint32(len(v.paths.parents)), 1, 1}
}

// yieldInterval is the number of steps, of some tens of nanoseconds each, between yields: building
// an index yields its processor to requests. The scheduler alone would preempt it every 10 ms
// (BenchmarkApply of package benchmarks).
const yieldInterval = 2048

// yielder yields the processor while an index is built.
type yielder struct{ steps int }

// spend counts steps, and yields where that is due.
func (y *yielder) spend(steps int) {
	if y.steps += steps; y.steps >= yieldInterval {
		y.steps = 0
		runtime.Gosched()
	}
}

// Schemas returns the schemas in matching order. The caller must not change them.
func (c *Classifier) Schemas() []*rules.Schema { return c.schemas }

// Match returns the index in Schemas of the first schema that matches the
// request, or -1. The latter is possible even with the mandatory schemas, for a user
// in neither group of catch-all. Match does not allocate, unless resource and
// subresource together exceed 127 bytes.
func (c *Classifier) Match(a *flow.Attributes) int {
	none := uint32(len(c.schemas))
	// A composite literal would be made elsewhere and copied, which takes 6 ns
	// (BenchmarkExempt of package benchmarks).
	var q query
	q.classifier, q.index, q.ranks, q.best = c, &c.urls, c.ranks, none
	if a.IsResourceRequest {
		q.index = &c.resources
	}
	q.match(a)
	if q.best == none {
		return -1
	}
	return int(q.best)
}
