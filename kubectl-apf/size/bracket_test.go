package size

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// find searches the smallest number where it and all larger ones hold, and returns it and how many
// it tried.
func find(top int, holds func(int) bool) (found, tried int) {
	b := newBracket(top)
	for !b.done() {
		points := b.points(side)
		tried += len(points)
		b.narrow(points, func(i int) bool { return holds(points[i]) })
	}
	return b.high, tried
}

func TestABracketFindsEveryBoundary(t *testing.T) {
	for top := 1; top <= 300; top++ {
		for boundary := 1; boundary <= top; boundary++ {
			found, tried := find(top, func(n int) bool { return n >= boundary })
			assert.GreaterOrEqual(t, found, boundary, "top %d", top)
			assert.LessOrEqual(t, found-boundary, max(0, found/50), "top %d", top)
			assert.LessOrEqual(t, tried, 21)
		}
	}
}

// Fewer seats that hold by chance are not the answer if more of them do not hold.
func TestABracketFindsWhereAllHold(t *testing.T) {
	found, _ := find(150, func(n int) bool { return n >= 6 && n < 50 || n >= 80 })
	assert.Equal(t, 80, found)
	found, _ = find(1000, func(n int) bool { return n >= 43 && n < 200 || n > 350 })
	assert.InDelta(t, 351, found, 7)
}
