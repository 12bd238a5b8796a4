package classify

import (
	"math/bits"
	"runtime"

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
	schemas    []rules.Schema
	vocabulary vocabulary

	resources, urls index
}

// index covers all rows of one kind, resource or non-resource.
type index struct {
	tuples   tuples
	subjects []shapes     // by number
	bitmaps  *bitmapIndex // of the rows with too many tuples; nil if there are none
}

// New returns a Classifier of the schemas. Time and memory are proportional to the
// size of the schemas. It yields its processor regularly.
func New(schemas []rules.Schema) *Classifier {
	return newClassifier(schemas, minBudget, budgetPerRow)
}

func newClassifier(schemas []rules.Schema, minBudget, budgetPerRow int) *Classifier {
	var y yielder
	c := &Classifier{
		schemas:    inMatchingOrder(schemas, &y),
		vocabulary: newVocabulary(),
	}
	v := &c.vocabulary
	resources, urls := newRowBuilder(v, &y).rows(c.schemas)
	c.resources = newIndex(&y, resources, max(minBudget, budgetPerRow*len(resources)), v.subjects,
		[4]uint32{v.verbs.next, v.apiGroups.next, v.resources.next, v.namespaces.next})
	c.urls = newIndex(&y, urls, max(minBudget, budgetPerRow*len(urls)), v.subjects,
		[4]uint32{v.verbs.next, uint32(len(v.paths.parents)), 1, 1})
	return c
}

// yieldInterval is the number of steps, of some tens of nanoseconds each, after
// which building an index yields its processor to requests. The scheduler alone would
// preempt it every 10 ms (BenchmarkApply of package benchmarks).
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

// newIndex returns the index of the rows. sizes are those of newBitmapIndex.
func newIndex(y *yielder, rows []row, budget int, subjects uint32, sizes [4]uint32) index {
	limit, total := sizeLimit(rows, budget)
	x := index{tuples: newTuples(total, sizes[verbPlace]-1), subjects: make([]shapes, subjects)}
	var large []row
	for i := range rows {
		r := &rows[i]
		size := r.size()
		if size == 0 {
			continue
		}
		y.spend(min(size, limit))
		if verbs, ok := r.verbSet(); ok && size <= limit {
			x.insert(r, verbs)
		} else {
			large = append(large, *r)
		}
	}
	x.bitmaps = newBitmapIndex(y, large, subjects, sizes)
	return x
}

// sizeLimit returns the largest power of two such that all rows of at most that
// many tuples fit into the budget, and the total of their tuples.
func sizeLimit(rows []row, budget int) (limit, total int) {
	var sums [32]int // by the power of two
	for i := range rows {
		if size := rows[i].size(); size > 0 {
			sums[bits.Len(uint(size-1))] += size
		}
	}
	for power, sum := range sums {
		if total+sum > budget {
			return 1 << power / 2, total
		}
		total += sum
	}
	return 1 << 31, total
}

// insert adds the tuples of a row to the table.
func (x *index) insert(r *row, verbs uint64) {
	for _, subject := range r.subjects {
		s := &x.subjects[subject]
		if r.matchesAll {
			s.addMatchAll(r.rank)
		}
		for _, group := range r.groups {
			for _, resource := range r.resources {
				for _, namespace := range r.namespaces {
					x.tuples.insert(tuple{subject, group, resource, namespace}, verbs, r.rank)
					s.add(shapeOf(group, resource, namespace), verbs, r.rank)
				}
			}
		}
	}
}

// Schemas returns the schemas in matching order. The caller must not change them.
func (c *Classifier) Schemas() []rules.Schema { return c.schemas }

// Match returns the index in Schemas of the first schema that matches the
// request, or -1. The latter is possible even with the mandatory schemas, for a user
// in neither group of catch-all. Match does not allocate, unless resource and
// subresource together exceed 127 bytes.
func (c *Classifier) Match(a *flow.Attributes) int {
	none := uint32(len(c.schemas))
	q := query{classifier: c, index: &c.urls, best: none}
	if a.IsResourceRequest {
		q.index = &c.resources
	}
	q.match(a)
	if q.best == none {
		return -1
	}
	return int(q.best)
}
