package allocation

import "math"

// Share is the configured share of one level.
type Share struct {
	// Shares is the weight of the level in the division of the seats.
	Shares int32
	// LendablePercent is the percentage of the nominal limit, 0 to 100, that other
	// levels may borrow.
	LendablePercent int32
	// BorrowingLimitPercent is the largest number of seats that the level may borrow,
	// as a percentage of its nominal limit; nil means no limit.
	BorrowingLimitPercent *int32
}

// Limits are the nominal limit of a level and the bounds of its current limit, in
// seats.
type Limits struct {
	Nominal int
	// Lower is the current limit when all lendable seats are lent.
	Lower int
	// Upper is the current limit when the level borrows as much as it may.
	Upper int
}

// Nominal returns the limits of each level, in the given order, on a server of total
// seats. If the shares sum to zero, every nominal limit is zero.
func Nominal(total int, shares []Share) []Limits {
	sum := 0.0
	for _, s := range shares {
		sum += float64(s.Shares)
	}
	limits := make([]Limits, len(shares))
	for i, s := range shares {
		nominal := 0
		if sum > 0 {
			nominal = int(math.Ceil(float64(total) * float64(s.Shares) / sum))
		}
		borrowing := total
		if s.BorrowingLimitPercent != nil {
			borrowing = percent(nominal, *s.BorrowingLimitPercent)
		}
		limits[i] = Limits{
			Nominal: nominal,
			Lower:   nominal - percent(nominal, s.LendablePercent),
			Upper:   min(total, nominal+borrowing),
		}
	}
	return limits
}

func percent(seats int, percent int32) int {
	return int(math.Round(float64(seats) * float64(percent) / 100))
}
