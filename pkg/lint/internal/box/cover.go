package box

import (
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/budget"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/userset"
)

// Cover returns owners whose boxes together have every request of the given boxes, in the order
// they were found. It is not ok if some request is in no box of an owner that may
// count, or if the budget is spent. The package comment has the method.
func (x *Index) Cover(given []Box, mayCount func(owner int) bool, within *budget.Budget) (owners []int, ok bool) {
	s := search{index: x, mayCount: mayCount, within: within, isOwner: map[int]bool{}}
	for i := range given {
		if !given[i].isEmpty() && !s.covers(&given[i]) {
			return nil, false
		}
	}
	return s.owners, true
}

// search is a search for boxes that cover others.
type search struct {
	index    *Index
	mayCount func(owner int) bool
	within   *budget.Budget
	// found are the first boxes that were found, which are tried first, and owners the owners of
	// all.
	found   []int
	owners  []int
	isOwner map[int]bool
}

// maxFound is how many boxes are tried first.
const maxFound = 16

// covers reports whether the index has boxes that cover the box.
func (s *search) covers(box *Box) bool {
	searched := map[selection]struct{}{}
	for _, set := range box.users.sets {
		if !s.within.Spend(1) {
			return false
		}
		numbers, lists := s.index.selecting(set)
		if _, done := searched[numbers]; done {
			continue
		}
		searched[numbers] = struct{}{}
		if !s.coversLists(box, set, lists) {
			return false
		}
	}
	return true
}

// fragment is what is left of the lists of a box.
type fragment [][]string

// coversLists reports whether the boxes in the lists, which select the set of users, cover what
// the box has for it.
func (s *search) coversLists(box *Box, set userset.Set, selecting [4][]int32) bool {
	whole := make(fragment, len(box.lists))
	for i, one := range box.lists {
		whole[i] = one.elements()
	}
	for left := []fragment{whole}; len(left) > 0; {
		last := len(left) - 1
		part := left[last]
		left = left[:last]
		covering := s.again(box.kind, set, part)
		if covering < 0 {
			covering = s.find(box.kind, part, selecting)
		}
		if covering < 0 {
			return false
		}
		var ok bool
		if left, ok = s.subtract(left, part, s.index.boxes[covering]); !ok {
			return false
		}
	}
	return true
}

// again returns a box that was found before and has the first tuple of the part; -1 if there is
// none.
func (s *search) again(kind kind, set userset.Set, part fragment) int {
	for _, number := range s.found {
		if box := s.index.boxes[number]; box.hasFirst(kind, part) && box.users.covers(set) {
			return number
		}
	}
	return -1
}

// find returns the first box that has the first tuple of the part, of an owner that may count; -1
// if there is none, or if the budget is spent.
func (s *search) find(kind kind, part fragment, selecting [4][]int32) int {
	first := -1
	for _, numbers := range selecting {
		for _, number := range numbers {
			n := int(number)
			if first >= 0 && n > first {
				break
			}
			if !s.within.Spend(1) {
				return -1
			}
			if s.index.boxes[n].hasFirst(kind, part) && s.mayCount(s.index.owners[n]) {
				first = n
				break
			}
		}
	}
	if first < 0 {
		return -1
	}
	if len(s.found) < maxFound {
		s.found = append(s.found, first)
	}
	if owner := s.index.owners[first]; !s.isOwner[owner] {
		s.isOwner[owner] = true
		s.owners = append(s.owners, owner)
	}
	return first
}

// hasFirst reports whether the lists of the box cover the first tuple of a part.
func (b *Box) hasFirst(kind kind, part fragment) bool {
	if b.kind != kind {
		return false
	}
	for i, one := range b.lists {
		if !one.covers(part[i][0]) {
			return false
		}
	}
	return true
}

// subtract appends what is left of a part without the requests of a box. It is not ok if the
// budget is spent.
func (s *search) subtract(left []fragment, part fragment, box *Box) ([]fragment, bool) {
	covered := slices.Clone(part)
	for i, one := range box.lists {
		if !s.within.Spend(stepsOf(part[i])) {
			return nil, false
		}
		var rest []string
		covered[i], rest = split(part[i], one)
		if len(rest) > 0 {
			remaining := slices.Clone(covered)
			copy(remaining[i+1:], part[i+1:])
			remaining[i] = rest
			left = append(left, remaining)
		}
	}
	return left, true
}

// split returns the elements that the list covers, and the others.
func split(elements []string, by list) (covered, rest []string) {
	for i, element := range elements {
		if !by.covers(element) {
			covered, rest = slices.Clone(elements[:i]), append(rest, element)
			for _, element := range elements[i+1:] {
				if by.covers(element) {
					covered = append(covered, element)
				} else {
					rest = append(rest, element)
				}
			}
			return covered, rest
		}
	}
	return elements, nil
}
