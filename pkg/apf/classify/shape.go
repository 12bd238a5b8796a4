package classify

import (
	"math/bits"
	"slices"
)

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

// shapesOf returns the shapes of the tuples of a row.
func shapesOf(r *row) shapeSet {
	set := shapeSet(0)
	for _, group := range kindsOf(r.groups) {
		for _, resource := range kindsOf(r.resources) {
			for _, namespace := range kindsOf(r.namespaces) {
				set |= 1 << shapeOf(group, resource, namespace)
			}
		}
	}
	return set
}

// kindsOf returns a value of each kind in the list: the wildcard, cluster scope, another.
func kindsOf(list []uint32) []uint32 {
	kinds := make([]uint32, 0, 3)
	for _, value := range list {
		if kind := min(value, clusterScope+1); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// shapes holds the shapes of the tuples of one subject, by verb. They spare most
// lookups in the table (BenchmarkManySchemas, BenchmarkMoreSchemas of package
// benchmarks).
type shapes struct {
	// matchAll is the lowest rank of a row that matches every request of the subject.
	matchAll uint32
	// byVerb holds, for each verb, the shapes of its tuples.
	byVerb [otherVerbs + 1]shapeSet
	// first holds, for each shape, the lowest rank.
	first [shapeCount]uint32
}

// newShapes returns the shapes of a subject with the given rows, in matching order.
func newShapes(rows []*row) shapes {
	s := shapes{matchAll: noRank}
	var verbs [shapeCount]uint64
	for _, r := range rows {
		if r.matchesAll {
			s.matchAll = min(s.matchAll, r.rank)
		}
		for set := r.shapes; set != 0; set &= set - 1 {
			shape := bits.TrailingZeros16(uint16(set))
			if verbs[shape] == 0 {
				s.first[shape] = r.rank
			}
			verbs[shape] |= r.verbSet
		}
	}
	for shape, set := range verbs {
		for ; set != 0; set &= set - 1 {
			s.byVerb[bits.TrailingZeros64(set)] |= 1 << shape
		}
	}
	return s
}
