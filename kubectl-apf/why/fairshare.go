package why

import "slices"

// fairShare returns F of the package comment for a flow, in seat-seconds. It sorts the demands of the
// other flows of the level.
func fairShare(capacity float64, others []float64) float64 {
	slices.Sort(others)
	rest, flows := capacity, len(others)+1
	for _, demand := range others {
		level := rest / float64(flows)
		if demand >= level {
			return level
		}
		rest -= demand
		flows--
	}
	return rest
}
