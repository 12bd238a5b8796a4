package classify

import (
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// sortInMatchingOrder sorts schemas into matching order.
func sortInMatchingOrder(schemas []*rules.Schema, y *yielder) {
	slices.SortStableFunc(schemas, func(a, b *rules.Schema) int {
		y.spend(1)
		return rules.Compare(a, b)
	})
}
