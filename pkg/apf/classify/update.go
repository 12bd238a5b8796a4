package classify

import (
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// builder holds what is needed to make the next version of a Classifier. One goroutine
// uses it at a time.
type builder struct {
	newest  *Classifier
	budget  budget
	yielder yielder

	ids             map[string]uint32 // numbers of the schemas by name
	free            []uint32          // numbers of no schema
	order           []uint32          // numbers of the schemas in matching order
	resources, urls kindRows
	size            int // of the vocabulary when all was built
}

// Update returns the next version of the Classifier. It has the schemas in set, each
// instead of one of the same name or in addition, and lacks those whose names are in
// removed. Both versions share the others, at the same addresses.
//
// The next version matches what New of all its schemas does. It costs what changes, and
// some copied numbers for each schema. Only one goroutine at a time may update a Classifier
// and its later versions. Earlier versions stay valid.
func (c *Classifier) Update(set []rules.Schema, removed []string) *Classifier {
	b := c.builder
	if b.newest != c || len(set)+len(removed) > len(c.schemas)/4 {
		return c.rebuild(set, removed)
	}
	u := b.begin()
	u.removeRows(set, removed)
	u.setOrder(set, removed)
	if !u.addRows(set) {
		b.newest = nil // what it has belongs to no version
		return c.rebuild(set, removed)
	}
	u.finish()
	b.newest = u.next
	return u.next
}

// rebuild is Update by New.
func (c *Classifier) rebuild(set []rules.Schema, removed []string) *Classifier {
	gone := make(map[string]bool, len(set)+len(removed))
	for i := range set {
		gone[set[i].Name] = true
	}
	for _, name := range removed {
		gone[name] = true
	}
	all := make([]*rules.Schema, 0, len(c.schemas)+len(set))
	own := slices.Clone(set)
	for i := range own {
		all = append(all, &own[i])
	}
	for _, schema := range c.schemas {
		if !gone[schema.Name] {
			all = append(all, schema)
		}
	}
	return build(all, c.builder.budget)
}

// versionUpdate makes one version.
type versionUpdate struct {
	*builder
	next            *Classifier
	resources, urls indexUpdate
}

// indexUpdate is the update of one index.
type indexUpdate struct {
	*kindRows
	index   *index
	tuples  *tupleUpdate
	touched map[uint32][]*row // the rows added, by each subject that gained or lost a row
	bitmaps bool              // whether rows in the bitmaps were added or removed
}

func (b *builder) begin() *versionUpdate {
	next := &Classifier{
		schemas: b.newest.schemas, ranks: b.newest.ranks, vocabulary: b.newest.vocabulary,
		resources: b.newest.resources, urls: b.newest.urls, builder: b,
	}
	u := &versionUpdate{builder: b, next: next}
	u.resources = newIndexUpdate(&b.resources, &next.resources, next.ranks)
	u.urls = newIndexUpdate(&b.urls, &next.urls, next.ranks)
	return u
}

func newIndexUpdate(k *kindRows, x *index, ranks []uint32) indexUpdate {
	x.tuples.pages, x.subjects = slices.Clone(x.tuples.pages), slices.Clone(x.subjects)
	return indexUpdate{kindRows: k, index: x, tuples: newTupleUpdate(&x.tuples, ranks), touched: map[uint32][]*row{}}
}

// removeRows removes the rows of the schemas that are changed or removed.
func (u *versionUpdate) removeRows(set []rules.Schema, removed []string) {
	var numbers []uint32
	for i := range set {
		if number, known := u.ids[set[i].Name]; known {
			numbers = append(numbers, number)
		}
	}
	for _, name := range removed {
		if number, known := u.ids[name]; known && !slices.Contains(numbers, number) {
			numbers = append(numbers, number)
		}
	}
	for _, x := range []*indexUpdate{&u.resources, &u.urls} {
		for _, number := range numbers {
			x.forget(number, u.next.ranks)
		}
		for _, number := range numbers {
			x.removeTuples(number, u.next.ranks)
			x.schemas[number] = nil
		}
	}
}

// forget removes the rows of a schema from their subjects and from the bitmaps.
func (x *indexUpdate) forget(schema uint32, ranks []uint32) {
	for i := range x.schemas[schema] {
		r := &x.schemas[schema][i]
		x.rows--
		if r.large {
			x.bitmaps = true
			x.large.remove(r)
			continue
		}
		if r.verbSet == 0 {
			continue // it has no tuples
		}
		x.kindRows.tuples -= r.size()
		for _, subject := range r.subjects {
			x.touched[subject] = nil
			rows := x.subjects[subject]
			end := after(rows, schema, ranks)
			start := end
			for start > 0 && rows[start-1].schema == schema {
				start--
			}
			x.counts[subject].add(rows[start:end], -1)
			x.subjects[subject] = slices.Delete(rows, start, end)
		}
	}
}

// removeTuples removes the tuples of a schema from the table.
func (x *indexUpdate) removeTuples(schema uint32, ranks []uint32) {
	for i := range x.schemas[schema] {
		r := &x.schemas[schema][i]
		if r.verbSet == 0 {
			continue
		}
		r.eachTuple(func(key tuple) {
			x.tuples.remove(key, schema, func(more func(*row) bool) {
				rows := x.subjects[key[0]]
				if !x.countsOf(key[0]).mayHave(&key) {
					return
				}
				for _, other := range rows[after(rows, schema, ranks):] {
					if other.has(&key) && !more(other) {
						return
					}
				}
			})
		})
	}
}

// addRows adds the rows of schemas. It returns false if all must be built from nothing
// instead.
func (u *versionUpdate) addRows(set []rules.Schema) bool {
	v := &u.next.vocabulary
	rows := newRowBuilder(v, &u.yielder, 0)
	for i := range set {
		number := u.ids[set[i].Name]
		schema := u.next.schemas[u.next.ranks[number]]
		u.resources.schemas[number], u.urls.schemas[number] = rows.rows(number, schema)
	}
	if v.size() > 2*u.size+smallNames {
		return false // most of it is of former schemas
	}
	v.finish()
	for _, x := range []*indexUpdate{&u.resources, &u.urls} {
		x.tuples.ranks = u.next.ranks
		x.index.grow(v.subjects)
		x.subjects = append(x.subjects, make([][]*row, max(0, int(v.subjects)-len(x.subjects)))...)
		for i := range set {
			if !x.addRows(u.ids[set[i].Name], u.next.ranks, u.budget) {
				return false
			}
		}
	}
	return true
}

func (x *indexUpdate) addRows(number uint32, ranks []uint32, limit budget) bool {
	bySubject := map[uint32][]*row{}
	for i := range x.schemas[number] {
		r := &x.schemas[number][i]
		x.rows++
		for _, verb := range r.verbs {
			if !x.tuples.knows(verb) {
				return false
			}
		}
		size := r.size()
		if !x.classify(r, size) {
			x.bitmaps = x.bitmaps || r.large
			continue
		}
		if x.kindRows.tuples += size; x.kindRows.tuples > 2*limit.tuples(x.rows) {
			return false
		}
		for _, subject := range r.subjects {
			if rows := bySubject[subject]; len(rows) == 0 || rows[len(rows)-1] != r { // a rule may name a subject twice
				bySubject[subject] = append(rows, r)
			}
		}
		r.eachTuple(func(key tuple) { x.tuples.add(key, r.verbSet, r.schema) })
	}
	for subject, added := range bySubject {
		rows := x.subjects[subject]
		x.counts[subject].add(added, 1)
		x.subjects[subject] = slices.Insert(rows, after(rows, number, ranks), added...)
		x.touched[subject] = append(x.touched[subject], added...)
	}
	return true
}

// finish completes the indexes of the next version.
func (u *versionUpdate) finish() {
	v := &u.next.vocabulary
	u.resources.finish(u.next.ranks, &u.yielder, v.subjects, resourceSizes(v))
	u.urls.finish(u.next.ranks, &u.yielder, v.subjects, urlSizes(v))
}

func (x *indexUpdate) finish(ranks []uint32, y *yielder, subjects uint32, sizes [4]uint32) {
	copied := map[uint32]bool{}
	for subject, added := range x.touched {
		page := subject / subjectsPerPage
		if !copied[page] {
			copied[page] = true
			own := *x.index.subjects[page]
			x.index.subjects[page] = &own
		}
		x.index.shapesOf(subject).update(x.subjects[subject], added)
	}
	if x.bitmaps {
		x.index.bitmaps = x.large.index(y, ranks, subjects, sizes)
	}
}
