package lint

// squishProbability returns the probability that each of the queues in the hand of a light flow is also in the
// hand of at least one of the heavy flows, which fill theirs. Hands are random, as in kube-apiserver.
//
// The number r of its queues that are not full, at first the whole hand of h, is a Markov chain over the
// heavy flows: of the C(n,h) hands of the next one, C(r,k) · C(n-r,h-k) fill k more of them.
func squishProbability(queues, hand, heavy int) float64 {
	left := make([]float64, hand+1) // the probability of each number of queues that are not full
	left[hand] = 1
	for range heavy {
		next := make([]float64, hand+1)
		for r, p := range left {
			for k := range r + 1 {
				next[r-k] += p * choose(r, k) * choose(queues-r, hand-k) / choose(queues, hand)
			}
		}
		left = next
	}
	return left[0]
}

// choose returns the binomial coefficient C(n,k).
func choose(n, k int) float64 {
	c := 1.0
	for i := range k {
		c *= float64(n-i) / float64(i+1)
	}
	return c
}
