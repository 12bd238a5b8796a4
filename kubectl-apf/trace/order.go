package trace

import (
	"fmt"
	"time"
)

// MaxGap is the longest time between two consecutive arrivals: a weekend of silence fits.
const MaxGap = 7 * 24 * time.Hour

// order checks the arrivals of consecutive requests.
type order struct {
	last time.Time
}

// next returns what is wrong with the next arrival.
func (o *order) next(arrival time.Time) error {
	gap := arrival.Sub(o.last)
	switch {
	case o.last.IsZero():
	case gap < 0:
		return fmt.Errorf("arrives at %s, %s before the request of the line above: requests must be in the order of their arrivals",
			arrival.Format(time.RFC3339Nano), -gap)
	case gap > MaxGap:
		return fmt.Errorf("arrives at %s, %s after the request of the line above, must be at most %s: a clock jumped, or requests are missing",
			arrival.Format(time.RFC3339Nano), gap, MaxGap)
	}
	o.last = arrival
	return nil
}
