package diff

import (
	"cmp"
	"slices"
)

// maxTop is the number of values in a result.
const maxTop = 10

// tally counts values.
type tally map[string]int

func (t *tally) add(value string) {
	if *t == nil {
		*t = tally{}
	}
	(*t)[value]++
}

// top returns the most frequent values.
func (t tally) top() Top {
	values := make([]Value, 0, len(t))
	for name, count := range t {
		values = append(values, Value{name, count})
	}
	slices.SortFunc(values, func(a, b Value) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	shown := min(len(values), maxTop)
	return Top{Values: values[:shown], More: len(values) - shown}
}
