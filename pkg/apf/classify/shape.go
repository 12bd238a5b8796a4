package classify

import "math/bits"

// The shape of a tuple says which of its elements are values and which the wildcard:
// bit 0 is set for an API group (or a URL), bit 1 for a resource, bit 2 for a
// namespace, and bit 3, which excludes bit 2, for cluster scope.
const (
	groupBit = 1 << iota
	resourceBit
	namespaceBit
	clusterBit

	shapeCount = 12
)

// shapeSet is a set of shapes.
type shapeSet uint16

// Sets of the shapes with the wildcard as API group, as resource and as namespace,
// with a namespace, and with cluster scope.
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

// shapes holds the shapes of the tuples of one subject, by verb. They spare most
// lookups in the table (BenchmarkManySchemas, BenchmarkMoreSchemas of package
// benchmarks).
type shapes struct {
	all shapeSet
	// matchAll is 1 + the lowest rank of a row that matches every request of the
	// subject; 0 if there is none.
	matchAll uint32
	// byVerb holds, for each verb, the shapes of its tuples.
	byVerb [otherVerbs + 1]shapeSet
	// lowest holds, for each shape, its lowest rank.
	lowest [shapeCount]uint32
}

// addMatchAll adds a row that matches every request of the subject. Ranks must not
// decrease from one call to the next.
func (s *shapes) addMatchAll(rank uint32) {
	if s.matchAll == 0 {
		s.matchAll = rank + 1
	}
}

// add adds a tuple of the shape. Ranks must not decrease from one call to the next.
func (s *shapes) add(shape int, verbs uint64, rank uint32) {
	bit := shapeSet(1) << shape
	if s.all&bit == 0 {
		s.all |= bit
		s.lowest[shape] = rank
	}
	for ; verbs != 0; verbs &= verbs - 1 {
		s.byVerb[bits.TrailingZeros64(verbs)] |= bit
	}
}
