package main

import (
	"cmp"
	"slices"
)

// quantile returns the smallest value that at least the share q (0 to 1) of
// the values does not exceed. There must be a value.
func quantile[V cmp.Ordered](values []V, q float64) V {
	sorted := slices.Sorted(slices.Values(values))
	index := int(q*float64(len(sorted))+0.999999) - 1
	return sorted[min(max(index, 0), len(sorted)-1)]
}

// median is the middle value, the lower one of two.
func median[V cmp.Ordered](values []V) V { return quantile(values, 0.5) }
