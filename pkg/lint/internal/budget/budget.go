// Package budget bounds computations whose work the author of an object chooses. A step is
// the comparison of two values, which takes some ten nanoseconds.
package budget

// Budget is what a computation may spend. It is not safe for concurrent use.
type Budget struct {
	left    int
	expired func() bool
	// unasked is the number of steps since expired was called.
	unasked int
	spent   bool
}

// interval is the number of steps between two calls of expired: some ten microseconds. Less work
// than this is always finished, however busy the machine is.
const interval = 4096

// New returns a budget of that many steps, which also ends when expired returns true. Nil
// never does.
func New(steps int, expired func() bool) *Budget { return &Budget{left: steps, expired: expired} }

// Spend takes steps from the budget. It reports whether the computation may continue; once it
// may not, it never may.
func (b *Budget) Spend(steps int) bool {
	if b.spent {
		return false
	}
	b.left -= steps
	b.unasked += steps
	if b.unasked >= interval && b.expired != nil {
		b.unasked = 0
		b.spent = b.expired()
	}
	b.spent = b.spent || b.left < 0
	return !b.spent
}

// IsSpent reports whether Spend has returned false.
func (b *Budget) IsSpent() bool { return b.spent }
