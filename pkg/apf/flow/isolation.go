package flow

// SquishProbability returns the probability that all handSize queues of a
// mouse (a flow of low intensity) are also queues of at least one of the given
// number of elephants (flows that fill their queues), when each flow has a
// random hand out of the given number of queues. See the package comment.
func SquishProbability(queues, handSize, elephants int) float64 {
	// covered[u] is the probability that the hands dealt so far cover exactly
	// u queues.
	covered := make([]float64, queues+1)
	covered[0] = 1
	hands := binomial(queues, handSize)
	for range elephants {
		next := make([]float64, queues+1)
		for u, p := range covered {
			for k := 0; k <= handSize && u+k <= queues; k++ {
				next[u+k] += p * binomial(queues-u, k) * binomial(u, handSize-k) / hands
			}
		}
		covered = next
	}
	squished := 0.0
	for u, p := range covered {
		squished += p * binomial(u, handSize) / hands
	}
	return squished
}

// binomial returns n over k, as a float64: exact up to 2^53.
func binomial(n, k int) float64 {
	if k > n {
		return 0
	}
	result := 1.0
	for i := range min(k, n-k) {
		result = result * float64(n-i) / float64(i+1)
	}
	return result
}
