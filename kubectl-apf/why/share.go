package why

// fairShare returns F of the package comment for the flow at index own, in seat-seconds. demands
// are the demands of all flows of the level, sorted.
func fairShare(capacity float64, demands []float64, own int) float64 {
	rest, flows := capacity, len(demands)
	for i, demand := range demands {
		if i == own {
			continue
		}
		level := rest / float64(flows)
		if demand >= level {
			return level
		}
		rest -= demand
		flows--
	}
	return rest
}
