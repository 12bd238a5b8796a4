package classify

import "slices"

// index covers all rows of one kind, resource or non-resource.
type index struct {
	tuples   tuples
	subjects []*subjectPage
	bitmaps  *bitmapIndex // of the rows with too many tuples; nil if there are none
}

// subjectsPerPage is the number of subjects that are copied to change one.
const subjectsPerPage = 32

// subjectPage holds the shapes of some subjects, by number.
type subjectPage [subjectsPerPage]shapes

// shapesOf returns the shapes of a subject.
func (x *index) shapesOf(subject uint32) *shapes {
	return &x.subjects[subject/subjectsPerPage][subject%subjectsPerPage]
}

// grow adds room for subjects up to a number.
func (x *index) grow(subjects uint32) {
	for len(x.subjects)*subjectsPerPage < int(subjects) {
		x.subjects = append(x.subjects, new(subjectPage))
	}
}

// kindRows are the rows of one kind, the input of an index.
type kindRows struct {
	schemas  [][]row                 // by the number of the schema
	subjects [][]*row                // by subject, in matching order; without those in the bitmaps
	large    largeRows               // those in the bitmaps
	counts   map[uint32]*valueCounts // by subject, if an update has needed them
	limit    int                     // the largest number of tuples of a row in the table
	rows     int                     // how many there are
	tuples   int                     // in the table, counted for each row
}

// index returns an index of the rows, whose schemas are in matching order. sizes are as for
// newBitmaps.
func (k *kindRows) index(b *builder, subjects uint32, sizes [4]uint32) index {
	for _, rows := range k.schemas {
		k.rows += len(rows)
	}
	k.limit, k.tuples = b.budget.sizeLimit(k)
	k.subjects = make([][]*row, subjects)
	x := index{tuples: newTuples(k.tuples, sizes[verbPlace]-1)}
	x.grow(subjects)
	for _, rows := range k.schemas {
		for i := range rows {
			r := &rows[i]
			size := r.size()
			b.yielder.spend(min(size, k.limit))
			if k.classify(r, size) {
				x.insert(r)
				for _, subject := range r.subjects {
					if former := k.subjects[subject]; len(former) == 0 || former[len(former)-1] != r { // a rule may name a subject twice
						k.subjects[subject] = append(former, r)
					}
				}
			}
		}
	}
	for subject, rows := range k.subjects {
		b.yielder.spend(len(rows))
		*x.shapesOf(uint32(subject)) = newShapes(rows)
	}
	x.bitmaps = k.large.index(&b.yielder, b.newest.ranks, subjects, sizes)
	return x
}

// classify decides whether a row of a size belongs into the table. If it belongs into the
// bitmaps, it adds it to those.
func (k *kindRows) classify(r *row, size int) bool {
	if size == 0 {
		return false
	}
	verbs, ok := r.verbBits()
	if !ok || size > k.limit {
		r.large = true
		k.large.add(r)
		return false
	}
	r.verbSet, r.shapes = verbs, shapesOf(r)
	return true
}

// after returns the index of the first row that is behind the schema.
func after(rows []*row, schema uint32, ranks []uint32) int {
	at, _ := slices.BinarySearchFunc(rows, ranks[schema]+1, func(r *row, rank uint32) int { return int(ranks[r.schema]) - int(rank) })
	return at
}

// insert adds the tuples of a row to the table.
func (x *index) insert(r *row) {
	r.eachTuple(func(key tuple) { x.tuples.insert(key, r.verbSet, r.schema) })
}

// eachTuple calls f with each tuple of the row.
func (r *row) eachTuple(f func(tuple)) {
	for _, subject := range r.subjects {
		for _, group := range r.groups {
			for _, resource := range r.resources {
				for _, namespace := range r.namespaces {
					f(tuple{subject, group, resource, namespace})
				}
			}
		}
	}
}

// has reports whether the row has the tuple, whose subject is one of the row.
func (r *row) has(key *tuple) bool {
	return slices.Contains(r.groups, key[1]) && slices.Contains(r.resources, key[2]) && slices.Contains(r.namespaces, key[3])
}
