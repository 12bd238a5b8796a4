package allocation

import "math"

// Share is what the configuration says about one level's part of the server.
type Share struct {
	// Shares is the level's weight in the division of the total.
	Shares int32
	// LendablePercent is the part of the nominal limit, 0 to 100, that others
	// may borrow.
	LendablePercent int32
	// BorrowingLimitPercent bounds what the level may borrow, in hundredths of
	// its nominal limit; nil means no bound.
	BorrowingLimitPercent *int32
}

// Limits are the bounds of a level's current limit, in seats.
type Limits struct {
	Nominal int
	// Lower is what is left when all that may be lent is lent, Upper what there
	// is when all that may be borrowed is borrowed.
	Lower, Upper int
}

// Nominal returns the limits of each level, in the order given, for a server
// of total seats. Without any shares at all every nominal limit is zero.
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
