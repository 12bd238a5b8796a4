package allocation

import (
	"cmp"
	"math"
	"slices"
)

// minTarget is the least target, in seats, that counts.
const minTarget = 0.001

// Level is what the division of current limits needs to know of a level.
type Level struct {
	Limits
	// Exempt tells that the level is not limited.
	Exempt bool
	// HighWatermark is the largest demand of the last period, in seats, and
	// Smoothed the smoothed demand after it.
	HighWatermark int
	Smoothed      float64
}

// Division is the outcome for all levels, in the order they were given.
type Division struct {
	// Current are the current limits, in seats. That of an exempt level limits
	// nothing; it is what was set aside for it.
	Current []int
	// Targets are the seats each level would have if there were enough.
	Targets []float64
	// FairFraction is f of the package comment, or 0 if there was too little to
	// share for it to exist.
	FairFraction float64
}

// Current divides the seats of a server of total seats.
func Current(total int, levels []Level) Division {
	division := Division{
		Current: make([]int, len(levels)),
		Targets: make([]float64, len(levels)),
	}
	rest, lowerSum, minSum := 0, 0, 0
	minimum := make([]int, len(levels))
	for i, l := range levels {
		rest += l.Nominal
		minimum[i] = minCurrent(l)
		division.Targets[i] = max(float64(minimum[i]), l.Smoothed)
		if l.Exempt {
			rest -= minimum[i]
			division.Current[i] = minimum[i]
			continue
		}
		lowerSum += l.Lower
		minSum += minimum[i]
	}
	parts := make([]part, 0, len(levels))
	for i, l := range levels {
		if !l.Exempt {
			parts = append(parts, part{
				level:  i,
				target: max(minTarget, division.Targets[i]),
				lower:  float64(minimum[i]),
				// A level is never given less than its minimum, whatever its
				// upper limit.
				upper: float64(max(minimum[i], l.Upper)),
				least: max(minimum[i], min(1, l.Nominal)),
			})
		}
	}
	switch {
	case rest <= lowerSum:
		for _, p := range parts {
			division.Current[p.level] = levels[p.level].Lower
		}
		return division
	case rest <= minSum:
		fraction := float64(rest-lowerSum) / float64(minSum-lowerSum)
		for i := range parts {
			l := levels[parts[i].level]
			lower := float64(l.Lower)
			parts[i].seats = lower + (parts[i].lower-lower)*fraction
			parts[i].least = max(l.Lower, min(1, l.Nominal))
		}
	default:
		division.FairFraction = fairFraction(float64(rest), parts)
	}
	roundSeats(parts, division.Current, total)
	return division
}

// minCurrent returns the least current limit that the demand of the last
// period allows, in seats.
func minCurrent(l Level) int {
	if l.Exempt {
		return max(l.Lower, l.HighWatermark)
	}
	return max(l.Lower, min(l.Nominal, l.HighWatermark))
}

// roundSeats writes the seats of the parts, rounded, into current.
func roundSeats(parts []part, current []int, total int) {
	sum := 0
	for _, p := range parts {
		current[p.level] = max(p.least, int(math.Round(p.seats)))
	}
	for _, c := range current {
		sum += c
	}
	excess := sum - (total + len(current))
	if excess <= 0 {
		return
	}
	// Those that gained most by rounding come first, for as long as any gained.
	// None falls below its minimum by that: minima are whole.
	slices.SortStableFunc(parts, func(a, b part) int {
		return cmp.Compare(gain(b, current), gain(a, current))
	})
	for _, p := range parts {
		if excess > 0 && current[p.level] > p.least && gain(p, current) > 0 {
			current[p.level]--
			excess--
		}
	}
	for ; excess > 0 && len(parts) > 0; excess-- {
		richest := slices.MaxFunc(parts, func(a, b part) int { return cmp.Compare(spare(a, current), spare(b, current)) })
		if spare(richest, current) <= 0 {
			return
		}
		current[richest.level]--
	}
}

func gain(p part, current []int) float64 {
	return float64(current[p.level]) - p.seats
}

// spare is how many seats a part has beyond what it cannot do without.
func spare(p part, current []int) int { return current[p.level] - p.least }
