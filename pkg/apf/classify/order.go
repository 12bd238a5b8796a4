package classify

import (
	"cmp"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// inMatchingOrder returns the schemas in the order in which they are tried.
func inMatchingOrder(schemas []rules.Schema, y *yielder) []rules.Schema {
	// Sort numbers, not schemas, which are large and full of pointers (BenchmarkNew).
	order := make([]int, len(schemas))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		y.spend(1)
		return cmp.Or(rules.Compare(&schemas[i], &schemas[j]), cmp.Compare(i, j))
	})
	sorted := make([]rules.Schema, len(schemas))
	for rank, i := range order {
		sorted[rank] = schemas[i]
	}
	return sorted
}
