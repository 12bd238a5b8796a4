package classify

import "maps"

const (
	// smallNames is the number of names that are copied to add one to them.
	smallNames = 1024
	// addedPart is the part of the other names that may be added before both are merged.
	addedPart = 8
)

// names maps strings to numbers. The names of a Classifier never change: the next version shares
// base, and copies added, which is small.
type names struct {
	base, added map[string]uint32
	// building reports whether no Classifier has base yet, owned whether none has added.
	building, owned bool
}

func newNames() names { return names{base: map[string]uint32{}, building: true} }

// find returns the number of a name, and whether it has one; 0 without. It is short enough
// to be inlined (BenchmarkExempt of package benchmarks).
func (n *names) find(name string) (number uint32, known bool) {
	if number, known = n.base[name]; known || n.added == nil {
		return number, known
	}
	number, known = n.added[name]
	return number, known
}

// add gives a name, which has no number, a number.
func (n *names) add(name string, number uint32) {
	if n.building {
		n.base[name] = number
		return
	}
	if !n.owned {
		n.added, n.owned = maps.Clone(n.added), true
		if n.added == nil {
			n.added = map[string]uint32{}
		}
	}
	n.added[name] = number
}

// finish ends the additions to a version: a Classifier has the names from now on.
func (n *names) finish() {
	n.building, n.owned = false, false
	if len(n.added) == 0 || len(n.base) > smallNames && len(n.added) < len(n.base)/addedPart {
		return
	}
	n.base = maps.Clone(n.base)
	maps.Copy(n.base, n.added)
	n.added = nil
}

// len returns the number of names.
func (n *names) len() int { return len(n.base) + len(n.added) }

// all calls f for each name.
func (n *names) all(f func(name string, number uint32)) {
	for _, part := range []map[string]uint32{n.base, n.added} {
		for name, number := range part {
			f(name, number)
		}
	}
}
