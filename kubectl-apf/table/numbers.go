package table

import (
	"cmp"
	"strconv"
	"time"
)

// Dash stands in a table for what is unknown or does not exist.
const Dash = "-"

// OrDash returns a text, or a dash for none.
func OrDash(text string) string { return cmp.Or(text, Dash) }

// Known returns a number, or a dash for an unknown one.
func Known(n *int) string {
	if n == nil {
		return Dash
	}
	return strconv.Itoa(*n)
}

// Tenths returns a number with one digit after the point, or a dash for an unknown one.
func Tenths(n *float64) string {
	if n == nil {
		return Dash
	}
	return strconv.FormatFloat(*n, 'f', 1, 64)
}

// Count returns a number with its noun, which has a plural with s.
func Count[N int | int64 | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Grouped(int64(n)) + " " + noun + "s"
}

// Grouped returns a number with commas between thousands.
func Grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Seconds returns a number of seconds with three digits, and a unit that fits.
func Seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case d == 0:
		return "0"
	case d < time.Millisecond:
		return strconv.FormatFloat(s*1e6, 'f', 0, 64) + "µs"
	case d < time.Second:
		return strconv.FormatFloat(s*1e3, 'g', 3, 64) + "ms"
	default:
		return strconv.FormatFloat(s, 'g', 3, 64) + "s"
	}
}
