package measurement

import (
	"fmt"
	"strings"

	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"
)

// Missed is the verdict of a figure that does not reach its target.
const Missed = "**no**"

// Comparison compares a figure with another one and with a target.
type Comparison struct {
	What         string
	Ours, Beside Figure // without Beside, the target is for the figure itself
	// Wanted is the greatest wanted ratio, or the smallest for a rate; 0 means no
	// target.
	Wanted float64
}

// Row holds the cells of a Comparison: case, ours, beside, ratio, interval, p,
// wanted, reached. The beginning of docs/evidence/benchmarks.md explains them.
type Row []string

// Header returns the header of a table with these names for the two sides.
func Header(ours, beside string) Row {
	return Row{"case", ours, beside, "ratio", "interval", "p", "wanted", "reached"}
}

// Rule returns the line below a header.
func (r Row) Rule() string { return "|---|" + strings.Repeat("---:|", len(r)-2) + "---|\n" }

func (r Row) String() string { return "| " + strings.Join(r, " | ") + " |\n" }

// Row compares the figures of c in these rounds.
func (r Rounds) Row(c Comparison) (Row, error) {
	ours, err := r.Of(c.Ours)
	if err != nil {
		return nil, err
	}
	show := func(value float64) string { return Format(value, c.Ours.Unit) }
	compared := Summarize(ours)
	row := Row{c.What, show(compared.Center), "", "", "", "", "", ""}
	if c.Beside != (Figure{}) {
		ratios, err := r.Ratios(c.Ours, c.Beside)
		if err != nil {
			return nil, err
		}
		beside := r.values[Figure{escaped(c.Beside.Benchmark), c.Beside.Unit}]
		row[2] = Format(Summarize(beside).Center, c.Beside.Unit)
		show, compared = number, Summarize(ratios)
		row[3] = number(compared.Center)
		row[5] = fmt.Sprintf("%.3f", benchmath.AssumeNothing.Compare(sample(ours), sample(beside)).P)
	}
	row[4] = interval(compared, show)
	more := r.units.GetBetter(c.Ours.Unit) > 0
	if c.Wanted != 0 {
		row[6], row[7] = "≤ "+show(c.Wanted), verdict(compared, c.Wanted, more)
	}
	if c.Wanted != 0 && more {
		row[6] = "≥ " + show(c.Wanted)
	}
	return row, nil
}

func interval(s benchmath.Summary, show func(float64) string) string {
	if len(s.Warnings) > 0 {
		return "too few rounds"
	}
	return show(s.Lo) + " to " + show(s.Hi)
}

// verdict reports whether the whole interval reaches the target.
func verdict(s benchmath.Summary, wanted float64, more bool) string {
	low, high := s.Lo <= wanted, s.Hi <= wanted
	if more {
		low, high = s.Lo >= wanted, s.Hi >= wanted
	}
	switch {
	case len(s.Warnings) > 0:
		return "too few rounds"
	case low && high:
		return "yes"
	case low || high:
		return "as good as"
	default:
		return Missed
	}
}

func number(value float64) string { return fmt.Sprintf("%.3g", value) }

// Format formats a value with a readable unit prefix.
func Format(value float64, unit string) string {
	class := benchunit.ClassOf(unit)
	var suffix string
	switch {
	case strings.HasPrefix(unit, "us-"): // benchunit knows no microseconds
		value, suffix = value/1e6, "s"
	case strings.Contains(unit, "sec"):
		suffix = "s"
	case class == benchunit.Binary:
		suffix = "B"
	case strings.HasSuffix(unit, "/s"):
		suffix = "/s"
	default:
		return fmt.Sprintf("%.6g", value)
	}
	return benchunit.Scale(value, class) + suffix
}
