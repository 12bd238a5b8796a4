package box

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/budget"

// Overlap reports whether some request is in a box of each. If sure is not set, users may be in
// any groups. It is false if the budget is spent first.
func Overlap(some, others []Box, sure bool, within *budget.Budget) bool {
	for i := range some {
		for k := range others {
			a, b := &some[i], &others[k]
			if !within.Spend(1) {
				return false
			}
			if a.kind != b.kind {
				continue
			}
			if !within.Spend(min(a.steps, b.steps)) {
				return false
			}
			if a.intersects(b, sure) {
				return true
			}
		}
	}
	return false
}

// MayCover reports whether some of the boxes may take part in a cover of the given ones: they
// select all users of one of the sets of users there. It is false if the budget is spent first.
func MayCover(some, given []Box, within *budget.Budget) bool {
	for i := range some {
		for k := range given {
			a, b := some[i].users, given[k].users
			if i > 0 && a == some[i-1].users || k > 0 && b == given[k-1].users {
				continue // of the same rule
			}
			if !within.Spend(1 + min(len(a.sets), len(b.sets))) {
				return false
			}
			if a.coversSomeOf(b) {
				return true
			}
		}
	}
	return false
}

// Meets calls yield with the requests that are in a box of each, a box at a time, until it returns
// false. It stops when the budget is spent.
func Meets(some, others []Box, within *budget.Budget, yield func(Box) bool) {
	for i := range some {
		for k := range others {
			a, b := &some[i], &others[k]
			if !within.Spend(1) {
				return
			}
			if a.kind != b.kind {
				continue
			}
			if !within.Spend(a.steps + b.steps) {
				return
			}
			if !a.intersects(b, true) {
				continue
			}
			if !within.Spend(len(a.users.sets) * len(b.users.sets)) {
				return
			}
			if met := a.meet(b); !met.isEmpty() && !yield(met) {
				return
			}
		}
	}
}
