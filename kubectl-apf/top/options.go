package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Options choose the rows of an answer.
type Options struct {
	// Sort is a key of LevelOrders, FlowOrders or RequestOrders; "": the first of them.
	Sort string
	// Limit is the largest number of rows; 0: all.
	Limit int
}

// order is a way to sort rows.
type order[R any] struct {
	key     string
	compare func(a, b R) int
}

// choose sorts rows and returns those within the limit, and the number of the others.
// Rows that compare equal keep their order.
func choose[R any](rows []R, orders []order[R], options Options) (chosen []R, omitted int, err error) {
	if options.Limit < 0 {
		return nil, 0, fmt.Errorf("the limit %d must not be negative", options.Limit)
	}
	key := cmp.Or(options.Sort, orders[0].key)
	at := slices.IndexFunc(orders, func(o order[R]) bool { return o.key == key })
	if at < 0 {
		return nil, 0, fmt.Errorf("the sort key %q must be one of %s", key, strings.Join(keys(orders), ", "))
	}
	slices.SortStableFunc(rows, orders[at].compare)
	if options.Limit > 0 && len(rows) > options.Limit {
		return rows[:options.Limit], len(rows) - options.Limit, nil
	}
	return rows, 0, nil
}

func keys[R any](orders []order[R]) []string {
	out := make([]string, len(orders))
	for i := range orders {
		out[i] = orders[i].key
	}
	return out
}

// descending compares so that the largest figure is first, and unknown ones last.
func descending[N int | uint64 | float64](a, b *N) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Compare(*b, *a)
}
