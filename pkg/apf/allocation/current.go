package allocation

import (
	"cmp"
	"math"
	"slices"
)

// minTarget is the smallest target in seats.
const minTarget = 0.001

// Level is the input of Current for one level.
type Level struct {
	Limits
	// Exempt reports whether the level is exempt.
	Exempt bool
	// HighWatermark is the largest demand of the last period, in seats.
	HighWatermark int
	// Smoothed is the smoothed demand after that period, in seats.
	Smoothed float64
}

// Division is the result for all levels, in the given order.
type Division struct {
	// Current are the current limits in seats; of an exempt level, the seats that
	// were subtracted for it.
	Current []int
	// Targets are the targets in seats.
	Targets []float64
	// FairFraction is f of the package comment, or 0 if R is too small for it.
	FairFraction float64
}

// Current computes the current limits on a server of total seats.
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
				// The minimum prevails over the upper limit.
				upper: float64(max(minimum[i], l.Upper)),
				least: max(minimum[i], min(1, l.Nominal)),
			})
		}
	}
	if rest > minSum {
		division.FairFraction = fairFraction(float64(rest), parts)
	} else {
		aboveLower(rest, lowerSum, minSum, levels, parts)
	}
	roundSeats(parts, division.Current, total)
	return division
}

// aboveLower sets the seats of each part to its lower limit and, of what rest exceeds
// the sum of the lower limits by, its proportion. rest is at most the sum of the minima.
func aboveLower(rest, lowerSum, minSum int, levels []Level, parts []part) {
	fraction := 0.0
	if rest > lowerSum {
		fraction = float64(rest-lowerSum) / float64(minSum-lowerSum)
	}
	for i := range parts {
		l := levels[parts[i].level]
		lower := float64(l.Lower)
		parts[i].seats = lower + (parts[i].lower-lower)*fraction
		parts[i].least = max(l.Lower, min(1, l.Nominal))
	}
}

// minCurrent returns minCurrent of the package comment, in seats.
func minCurrent(l Level) int {
	if l.Exempt {
		return max(l.Lower, l.HighWatermark)
	}
	return max(l.Lower, min(l.Nominal, l.HighWatermark))
}

// roundSeats sets current to the rounded seats of the parts.
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
	// The levels that gained most by rounding return a seat first. None falls below
	// its minimum: minima are integers.
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

// gain returns the seats that a part gained by rounding.
func gain(p part, current []int) float64 {
	return float64(current[p.level]) - p.seats
}

// spare returns the seats of a part above its minimum.
func spare(p part, current []int) int { return current[p.level] - p.least }
