package total

import "math"

const (
	// leastUse is the part of the minimum that must be in use for a smaller total to
	// matter.
	leastUse = 0.5
	// leastShort is the part of the seats whose levels must be short of seats for a
	// larger total to help.
	leastShort = 0.1
)

// Load is what the seats were used for since the last step.
type Load struct {
	// Use is the number of seats in use, on average, without exempt levels.
	Use float64
	// Short is the part of the total in effect, from 0 to 1, that belongs to levels that
	// were short of seats.
	Short float64
	// Needed is the number of seats that exempt and mandatory levels need.
	Needed int
}

// short reports whether a larger total helps.
func (l Load) short() bool { return l.Short >= leastShort && !math.IsInf(l.Short, 0) }

// working reports whether a smaller total may help, if it is at least lowest.
func (l Load) working(lowest float64) bool {
	return l.Use >= leastUse*lowest && !math.IsInf(l.Use, 0) || l.short()
}
