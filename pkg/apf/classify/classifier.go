package classify

import (
	"math/bits"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

const (
	// leastBudget and budgetPerRow bound the tuples that are written into each
	// of the two tables, whichever is more.
	leastBudget  = 1 << 18
	budgetPerRow = 4
)

// Classifier finds the schema of a request. It is immutable, so it may be used
// by any number of goroutines at once.
type Classifier struct {
	schemas    []Schema
	vocabulary vocabulary

	resources, urls index
}

// index covers all rows of one kind.
type index struct {
	tuples   tuples
	subjects []shapes // by number
	long     *long    // nil if there are none
}

// New returns a Classifier of the given schemas. It takes time and memory in
// proportion to the configuration, and lets other goroutines run meanwhile.
func New(schemas []Schema) *Classifier {
	return newClassifier(schemas, leastBudget, budgetPerRow)
}

func newClassifier(schemas []Schema, leastBudget, budgetPerRow int) *Classifier {
	var p pace
	c := &Classifier{
		schemas:    inMatchingOrder(schemas, &p),
		vocabulary: newVocabulary(),
	}
	v := &c.vocabulary
	resources, urls := newDigest(v, &p).rows(c.schemas)
	c.resources = newIndex(&p, resources, max(leastBudget, budgetPerRow*len(resources)), v.subjects,
		[4]uint32{v.verbs.next, v.apiGroups.next, v.resources.next, v.namespaces.next})
	c.urls = newIndex(&p, urls, max(leastBudget, budgetPerRow*len(urls)), v.subjects,
		[4]uint32{v.verbs.next, uint32(len(v.paths.parents)), 1, 1})
	return c
}

// newIndex returns the index of the rows. sizes are those of newLong.
func newIndex(p *pace, rows []row, budget int, subjects uint32, sizes [4]uint32) index {
	limit, total := sizeLimit(rows, budget)
	x := index{tuples: newTuples(total, sizes[verbPlace]-1), subjects: make([]shapes, subjects)}
	var apart []row
	for i := range rows {
		r := &rows[i]
		size := r.size()
		if size == 0 {
			continue
		}
		p.spend(min(size, limit))
		if verbs, ok := r.verbSet(); ok && size <= limit {
			x.insert(r, verbs)
		} else {
			apart = append(apart, *r)
		}
	}
	x.long = newLong(p, apart, subjects, sizes)
	return x
}

// sizeLimit returns the largest power of two for which all rows of at most that
// many tuples fit the budget together, and how many they have.
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

func (x *index) insert(r *row, verbs uint64) {
	for _, subject := range r.subjects {
		s := &x.subjects[subject]
		if r.whole {
			s.takeAll(r.rank)
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

// Schemas returns the schemas in matching order. They must not be changed.
func (c *Classifier) Schemas() []Schema { return c.schemas }

// Match returns the index in Schemas of the first schema that matches the
// request, or -1. The latter happens even with the built-in schemas, for a
// user in neither of the groups that the catch-all schema names. Match does not
// allocate, unless resource and subresource together exceed 127 bytes.
func (c *Classifier) Match(a *flow.Attributes) int {
	none := uint32(len(c.schemas))
	q := query{classifier: c, index: &c.urls, best: none}
	if a.IsResourceRequest {
		q.index = &c.resources
	}
	q.from(a)
	if q.best == none {
		return -1
	}
	return int(q.best)
}
