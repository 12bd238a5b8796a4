package classify

import "math/bits"

// budget is how many tuples a table holds: least, or perRow for each row, whichever is
// more.
type budget struct{ least, perRow int }

// sizeLimit returns the largest power of two such that all rows of at most that
// many tuples fit into the budget, and the total of their tuples.
func (b budget) sizeLimit(rows []row) (limit, total int) {
	var sums [32]int // by the power of two
	for i := range rows {
		if size := rows[i].size(); size > 0 {
			sums[bits.Len(uint(size-1))] += size
		}
	}
	for power, sum := range sums {
		if total+sum > max(b.least, b.perRow*len(rows)) {
			return 1 << power / 2, total
		}
		total += sum
	}
	return 1 << 31, total
}
