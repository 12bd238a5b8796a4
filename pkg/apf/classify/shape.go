package classify

import "math/bits"

// The shape of a tuple says which of its places hold a value and which the
// wildcard: bit 0 is set for an API group (or a URL), bit 1 for a resource, bit
// 2 for a namespace, bit 3, which excludes bit 2, for cluster scope.
const (
	groupBit = 1 << iota
	resourceBit
	namespaceBit
	clusterBit

	shapeCount = 12
)

// shapeSet is a set of shapes.
type shapeSet uint16

// Sets of the shapes with one thing in common.
const (
	anyGroup     shapeSet = 0b0101_0101_0101
	anyResource  shapeSet = 0b0011_0011_0011
	anyNamespace shapeSet = 0b0000_0000_1111
	oneNamespace shapeSet = 0b0000_1111_0000
	noNamespace  shapeSet = 0b1111_0000_0000
)

func shapeOf(group, resource, namespace uint32) int {
	shape := 0
	if group != wildcard {
		shape |= groupBit
	}
	if resource != wildcard {
		shape |= resourceBit
	}
	switch namespace {
	case wildcard:
	case clusterScope:
		shape |= clusterBit
	default:
		shape |= namespaceBit
	}
	return shape
}

// shapes says in which shapes of tuples a subject occurs.
type shapes struct {
	all shapeSet
	// everything is 1 + the lowest rank at which all that the subject asks for
	// matches; 0 if there is none.
	everything uint32
	// of holds, by verb, the shapes that the verb occurs in.
	of [otherVerbs + 1]shapeSet
	// lowest holds, by shape, the lowest rank in it.
	lowest [shapeCount]uint32
}

// takeAll notes that a row of the rank takes all that the subject asks for. Ranks
// must not descend from one call to the next.
func (s *shapes) takeAll(rank uint32) {
	if s.everything == 0 {
		s.everything = rank + 1
	}
}

// add notes a tuple of the shape. Ranks must not descend from one call to the
// next.
func (s *shapes) add(shape int, verbs uint64, rank uint32) {
	bit := shapeSet(1) << shape
	if s.all&bit == 0 {
		s.all |= bit
		s.lowest[shape] = rank
	}
	for ; verbs != 0; verbs &= verbs - 1 {
		s.of[bits.TrailingZeros64(verbs)] |= bit
	}
}
