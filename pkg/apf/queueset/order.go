package queueset

// order is a set of entities by rank, with sums along them: a treap (Seidel and Aragon, Algorithmica
// 16, 1996). Each operation takes O(log n) expected time. The zero order is empty.
type order struct {
	root *rank
	seed uint64 // of the priorities
}

// rank is the position of an entity in an order.
type rank struct {
	at     float64
	tie    float64 // orders what has the same at, before serial does
	serial uint64
	of     *entity
	weight float64 // counts in level
	width  int     // counts in firstOfWidth

	listed      bool
	priority    uint64
	left, right *rank
	// Of the subtree: weights, weights times at, and the least width.
	weights, moments float64
	narrowest        int
}

func (r *rank) before(other *rank) bool {
	switch {
	case r.at != other.at:
		return r.at < other.at
	case r.tie != other.tie:
		return r.tie < other.tie
	default:
		return r.serial < other.serial
	}
}

// pull computes the sums of the subtree of r.
func (r *rank) pull() {
	weights, moments, narrowest := r.weight, r.weight*r.at, r.width
	if l := r.left; l != nil {
		weights, moments, narrowest = weights+l.weights, moments+l.moments, min(narrowest, l.narrowest)
	}
	if l := r.right; l != nil {
		weights, moments, narrowest = weights+l.weights, moments+l.moments, min(narrowest, l.narrowest)
	}
	r.weights, r.moments, r.narrowest = weights, moments, narrowest
}

// insert adds r, which is in no order.
func (o *order) insert(r *rank) {
	o.seed = o.seed*6364136223846793005 + 1442695040888963407 // Knuth's MMIX generator
	r.priority, r.listed = o.seed>>16, true
	o.root = o.root.insert(r)
}

// remove removes r, if it is there.
func (o *order) remove(r *rank) {
	if r.listed {
		r.listed = false
		o.root = o.root.remove(r)
		r.left, r.right = nil, nil
	}
}

func (r *rank) insert(one *rank) *rank {
	switch {
	case r == nil || one.priority > r.priority:
		one.left, one.right = r.split(one)
		r = one
	case one.before(r):
		r.left = r.left.insert(one)
	default:
		r.right = r.right.insert(one)
	}
	r.pull()
	return r
}

// split returns what is before one, and the rest.
func (r *rank) split(one *rank) (before, rest *rank) {
	switch {
	case r == nil:
		return nil, nil
	case r.before(one):
		r.right, rest = r.right.split(one)
		before = r
	default:
		before, r.left = r.left.split(one)
		rest = r
	}
	r.pull()
	return before, rest
}

func (r *rank) remove(one *rank) *rank {
	switch {
	case r == one:
		return r.left.merge(r.right)
	case one.before(r):
		r.left = r.left.remove(one)
	default:
		r.right = r.right.remove(one)
	}
	r.pull()
	return r
}

// merge joins r with what is after all of r.
func (r *rank) merge(after *rank) *rank {
	switch {
	case r == nil:
		return after
	case after == nil:
		return r
	case r.priority > after.priority:
		r.right = r.right.merge(after)
		r.pull()
		return r
	default:
		after.left = r.merge(after.left)
		after.pull()
		return after
	}
}

// first returns the first rank, nil without any.
func (o *order) first() *rank {
	r := o.root
	for r != nil && r.left != nil {
		r = r.left
	}
	return r
}

// last returns the last rank, nil without any.
func (o *order) last() *rank {
	r := o.root
	for r != nil && r.right != nil {
		r = r.right
	}
	return r
}

// firstOfWidth returns the first rank of at most this width, nil without any.
func (o *order) firstOfWidth(width int) *rank {
	r := o.root
	if r == nil || r.narrowest > width {
		return nil
	}
	for {
		switch {
		case r.left != nil && r.left.narrowest <= width:
			r = r.left
		case r.width <= width:
			return r
		default:
			r = r.right
		}
	}
}

// level returns the x for which the sum of weight * (x - at) over what is before x is the given
// area. There must be a rank.
func (o *order) level(area float64) float64 {
	weights, moments := 0.0, 0.0
	for r := o.root; r != nil; {
		w, m := weights+r.weight, moments+r.weight*r.at
		if r.left != nil {
			w, m = w+r.left.weights, m+r.left.moments
		}
		if (w-r.weight)*r.at-(m-r.weight*r.at) > area {
			r = r.left
			continue
		}
		weights, moments = w, m
		r = r.right
	}
	return (area + moments) / weights
}
