package trace

import (
	"fmt"
	"time"
)

const (
	// MaxGap is the longest time between two consecutive arrivals: a weekend of silence fits.
	MaxGap = 7 * 24 * time.Hour
	// MaxSpan bounds the time from the first arrival to the last, and each duration: a simulation divides the
	// seats again every 10 s of it.
	MaxSpan = 31 * 24 * time.Hour
)

// order checks the arrivals of consecutive requests.
type order struct {
	first, last time.Time
}

// next returns what is wrong with the next arrival.
func (o *order) next(arrival time.Time) error {
	gap := arrival.Sub(o.last)
	switch {
	case o.last.IsZero():
		o.first = arrival
	case gap < 0:
		return fmt.Errorf("arrives at %s, %s before the request of the line above: requests must be in the order of their arrivals",
			arrival.Format(time.RFC3339Nano), -gap)
	case gap > MaxGap:
		return fmt.Errorf("arrives at %s, %s after the request of the line above, must be at most %s: a clock jumped, or requests are missing",
			arrival.Format(time.RFC3339Nano), gap, MaxGap)
	case arrival.Sub(o.first) > MaxSpan:
		return fmt.Errorf("arrives at %s, %s after the first request, must be at most %s: record each part from its own logs",
			arrival.Format(time.RFC3339Nano), arrival.Sub(o.first), MaxSpan)
	}
	o.last = arrival
	return nil
}
