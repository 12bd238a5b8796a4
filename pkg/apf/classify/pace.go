package classify

import "runtime"

// breath is the number of steps, of some tens of nanoseconds each, after which
// building an index lets others run: few enough that a request which waits for
// this processor waits a fraction of a millisecond, not the 10 ms after which the
// scheduler would step in.
const breath = 2048

// pace counts the steps of building an index.
type pace struct{ steps int }

// spend notes so many steps.
func (p *pace) spend(steps int) {
	if p.steps += steps; p.steps >= breath {
		p.steps = 0
		runtime.Gosched()
	}
}
