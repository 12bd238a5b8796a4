package chaos

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Step is a fault to come.
type Step struct {
	Kind   Kind
	Target int
	// Length is how long the fault lasts, Wait the time until the next step. So faults
	// overlap.
	Length, Wait time.Duration
	// Ahead is how far a clock is ahead, negative if it is behind.
	Ahead time.Duration
}

// mostAhead is how far a clock is ahead or behind at most.
const mostAhead = 30 * 24 * time.Hour

// Plan returns random faults of processes numbered below targets. Every round has all of
// the kinds once in random order; rolling restarts, which last longest and are alone, are in
// every other round.
func Plan(random *rand.Rand, kinds []Kind, count, targets int) (steps []Step) {
	for round := 0; len(steps) < count; round++ {
		kinds := slices.Clone(kinds)
		random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
		for _, kind := range kinds {
			step := Step{Kind: kind, Target: random.IntN(targets), Wait: time.Second + time.Duration(random.Int64N(int64(4*time.Second)))}
			if longest := kind.longest(); longest > 0 {
				step.Length = time.Duration(random.Int64N(int64(longest)))
			}
			if kind == SetClock {
				step.Ahead = time.Duration(random.Int64N(int64(2*mostAhead))) - mostAhead
			}
			if kind != Roll || round%2 == 0 {
				steps = append(steps, step)
			}
		}
	}
	return steps[:count]
}
