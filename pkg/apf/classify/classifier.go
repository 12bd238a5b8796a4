package classify

import (
	"runtime"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// Classifier finds the flow schema of a request. It is safe for concurrent use:
// but for its memo it is immutable.
type Classifier struct {
	schemas         []*rules.Schema // in matching order
	vocabulary      vocabulary
	resources, urls index
}

// New returns a Classifier of the schemas, whose names must differ. Time and memory are
// proportional to the size of the schemas. It yields its processor regularly.
func New(schemas []rules.Schema) *Classifier {
	own := slices.Clone(schemas)
	pointers := make([]*rules.Schema, len(own))
	for i := range own {
		pointers[i] = &own[i]
	}
	var y yielder
	slices.SortStableFunc(pointers, func(a, b *rules.Schema) int {
		y.spend(1)
		return rules.Compare(a, b)
	})
	c := &Classifier{schemas: pointers, vocabulary: newVocabulary()}
	rows := rowBuilder{vocabulary: &c.vocabulary, yielder: &y, onlyWildcard: []uint32{wildcard}}
	for rank, schema := range pointers {
		rows.add(uint32(rank), schema)
	}
	v := &c.vocabulary
	v.paths.setParents()
	c.resources = newIndex(&y, false, rows.resources, [places]uint32{v.subjects, v.verbs.next, v.apiGroups.next, v.resources.next, v.namespaces.next})
	c.urls = newIndex(&y, true, rows.urls, [places]uint32{v.subjects, v.verbs.next, v.paths.next, 1, 1})
	return c
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
	q.vocabulary, q.index, q.best = &c.vocabulary, &c.urls, none
	if a.IsResourceRequest {
		q.index = &c.resources
	}
	q.match(a)
	if q.best == none {
		return -1
	}
	return int(q.best)
}
