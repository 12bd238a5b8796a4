package flow

import "math/big"

// SquishProbability returns the probability that each of the handSize queues of a
// mouse, a flow of low intensity, is also a queue of at least one elephant, a flow
// that fills its queues. Each flow has a random hand. See the package comment. It
// computes with integers, so the result is the float64 nearest to the exact one.
func SquishProbability(queues, handSize, elephants int) float64 {
	// ways holds, for each number of queues that the mouse has left, the number of combinations of
	// hands of the elephants so far that leave it that number.
	ways := make([]*big.Int, handSize+1)
	for left := range ways {
		ways[left] = new(big.Int)
	}
	ways[handSize].SetInt64(1)
	for range elephants {
		next := make([]*big.Int, handSize+1)
		for left := range next {
			next[left] = new(big.Int)
		}
		for left, n := range ways {
			for taken := 0; taken <= left; taken++ {
				hands := binomial(left, taken)
				hands.Mul(hands, binomial(queues-left, handSize-taken))
				next[left-taken].Add(next[left-taken], hands.Mul(hands, n))
			}
		}
		ways = next
	}
	all := new(big.Int).Exp(binomial(queues, handSize), big.NewInt(int64(elephants)), nil)
	probability, _ := new(big.Rat).SetFrac(ways[0], all).Float64()
	return probability
}

// binomial returns the binomial coefficient C(n, k).
func binomial(n, k int) *big.Int {
	if k > n {
		return new(big.Int)
	}
	return new(big.Int).Binomial(int64(n), int64(k))
}
