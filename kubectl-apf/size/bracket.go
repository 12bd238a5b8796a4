package size

import "slices"

// steps is the number of equal steps of a search down from the top.
const steps = 10

// bracket is where a number is searched: low is too small, or 0, and high is not.
//
// More seats may be worse: a request takes at most 15 % of the nominal limit of its level, so on
// a smaller level a wide list takes fewer seats. So the search goes down from the top in tenths
// until one does not hold, and searches between that and the next higher one.
type bracket struct {
	low, high, top int
	step           int // that is tried next, downward; 0 when the search is between two of them
}

func newBracket(top int) *bracket { return &bracket{high: top, top: top, step: steps - 1} }

// done reports whether the number is known within 2 % or a seat.
func (b *bracket) done() bool { return b.high-b.low <= 1 || b.step == 0 && b.high-b.low <= b.high/50 }

// points returns up to n numbers between the ends, in ascending order.
func (b *bracket) points(n int) []int {
	var points []int
	for i := 1; i <= n && !b.done(); i++ {
		if b.step > 0 {
			points = append(points, b.top*(b.step-n+i)/steps)
		} else {
			points = append(points, b.low+(b.high-b.low)*i/(n+1))
		}
	}
	points = slices.DeleteFunc(points, func(p int) bool { return p <= b.low || p >= b.high })
	return slices.Compact(points)
}

// narrow takes the smallest point where it and all larger ones hold as the upper end.
func (b *bracket) narrow(points []int, holds func(i int) bool) {
	b.step = max(0, b.step-side)
	for i, point := range slices.Backward(points) {
		if !holds(i) {
			b.low, b.step = point, 0
			return
		}
		b.high = point
	}
}
