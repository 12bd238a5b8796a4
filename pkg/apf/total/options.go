package total

import (
	"fmt"
	"math"
)

// Mode says what the recommendation is used for.
type Mode string

// The modes.
const (
	// Static means that nothing is recommended.
	Static Mode = "static"
	// Monitor means that the recommendation is shown, and the total does not change.
	Monitor Mode = "monitor"
	// Adaptive means that the total follows the recommendation.
	Adaptive Mode = "adaptive"
)

// Options says how the total of a server is determined.
type Options struct {
	Mode Mode
	// Min and Max bound the recommendation, in seats. 0 means the default: half of the
	// static total, rounded up, and twice the static total.
	Min, Max int
}

// Bounds returns the bounds of the recommendation of a server with a static total.
func (o Options) Bounds(static int) (lowest, highest int) {
	lowest, highest = o.Min, o.Max
	if lowest == 0 {
		lowest = static/2 + static%2
	}
	if highest == 0 {
		highest = 2 * min(static, math.MaxInt/2)
	}
	return lowest, highest
}

// OptionError is an invalid value of one of the Options.
type OptionError struct {
	// Option is "mode", "min" or "max".
	Option string
	Value  any
	// Problem says what the value must be.
	Problem string
}

// Error implements error.
func (e *OptionError) Error() string {
	return fmt.Sprintf("%s of the total is %v: %s", e.Option, e.Value, e.Problem)
}

// Validate returns what is wrong with the options of a server with a static total, which
// must be positive.
func (o Options) Validate(static int) []*OptionError {
	var errs []*OptionError
	switch o.Mode {
	case Static, Monitor, Adaptive:
	default:
		errs = append(errs, &OptionError{"mode", o.Mode, fmt.Sprintf("must be one of %s, %s, %s", Static, Monitor, Adaptive)})
	}
	switch {
	case o.Min < 0:
		errs = append(errs, &OptionError{"min", o.Min, "must be at least 1, or 0 for half of the static total"})
	case o.Min > static:
		errs = append(errs, &OptionError{"min", o.Min, fmt.Sprintf("must not be more than the static total, %d, where the total starts", static)})
	}
	switch {
	case o.Max < 0:
		errs = append(errs, &OptionError{"max", o.Max, "must be at least 1, or 0 for twice the static total"})
	case o.Max > 0 && o.Max < o.Min:
		errs = append(errs, &OptionError{"max", o.Max, fmt.Sprintf("must not be less than the minimum, %d", o.Min)})
	case o.Max > 0 && o.Max < static:
		errs = append(errs, &OptionError{"max", o.Max, fmt.Sprintf("must not be less than the static total, %d, where the total starts", static)})
	}
	return errs
}
