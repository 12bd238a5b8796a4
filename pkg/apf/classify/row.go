package classify

import "slices"

// row is one resource rule or one non-resource rule, in numbers.
type row struct {
	rank     uint32
	subjects []uint32
	verbs    []uint32
	// The lists that a tuple is made of, beside the subject. Rows of
	// non-resource rules have URLs in the place of API groups, and the
	// wildcard in the others.
	groups, resources, namespaces []uint32
	// whole rows match all that their subjects ask for, of this kind.
	whole bool
}

// holdWildcard reports whether each of the lists has the wildcard in it.
func holdWildcard(lists ...[]uint32) bool {
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
		// Saturate: five lists of a thousand values overflow.
		size = min(size*length, 1<<30)
	}
	if len(r.verbs) == 0 {
		return 0
	}
	return size
}

// verbSet returns the row's verbs as bits, and false if one of them has no bit
// of its own.
func (r *row) verbSet() (uint64, bool) {
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

// verbBit returns the number of the verb's bit.
func verbBit(verb uint32) uint {
	if verb == wildcard || verb > verbsOfBits {
		return otherVerbs
	}
	return uint(verb - 1)
}
