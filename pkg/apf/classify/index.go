package classify

// index covers all rows of one kind, resource or non-resource.
type index struct {
	tuples   tuples
	subjects []shapes     // by number
	bitmaps  *bitmapIndex // of the rows with too many tuples; nil if there are none
}

// newIndex returns an index of rows, which are in matching order. sizes are as for bitSetsOf.
func newIndex(rows []row, limit budget, y *yielder, sizes [5]uint32) index {
	sizeLimit, tuples := limit.sizeLimit(rows)
	x := index{tuples: newTuples(tuples, sizes[1+verbPlace]-1), subjects: make([]shapes, sizes[0])}
	bySubject := make([][]*row, sizes[0])
	var large []*row
	for i := range rows {
		r := &rows[i]
		size := r.size()
		y.spend(min(size, sizeLimit))
		verbs, ok := r.verbBits()
		switch {
		case size == 0:
		case !ok || size > sizeLimit:
			large = append(large, r)
		default:
			r.verbSet, r.shapes = verbs, shapesOf(r)
			r.eachTuple(func(key tuple) { x.tuples.insert(key, r.verbSet, r.rank) })
			for _, subject := range r.subjects {
				bySubject[subject] = append(bySubject[subject], r)
			}
		}
	}
	for subject, rows := range bySubject {
		y.spend(len(rows))
		x.subjects[subject] = newShapes(rows)
	}
	if len(large) > 0 {
		x.bitmaps = newBitmaps(y, large, sizes)
	}
	return x
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
