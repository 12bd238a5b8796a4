package diff

import (
	"cmp"
	"slices"
)

const (
	// maxDistinct bounds the distinct values that a tally counts one by one.
	maxDistinct = 4096
	// maxTop is the number of values in a result.
	maxTop = 10
)

// tally counts values in bounded memory.
type tally struct {
	counts map[string]int
	// further is the number of values that found no room, repetitions included.
	further int
}

func (t *tally) add(value string) {
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	if _, known := t.counts[value]; !known && len(t.counts) == maxDistinct {
		t.further++
		return
	}
	t.counts[value]++
}

// top returns the most frequent values.
func (t *tally) top() Top {
	values := make([]Value, 0, len(t.counts))
	for name, count := range t.counts {
		values = append(values, Value{name, count})
	}
	slices.SortFunc(values, func(a, b Value) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	shown := min(len(values), maxTop)
	more := len(values) - shown
	if t.further > 0 {
		more++
	}
	return Top{Values: values[:shown], More: more}
}
