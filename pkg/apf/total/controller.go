package total

import (
	"math"
	"time"
)

// Period is the time between two steps.
const Period = 10 * time.Second

const (
	// mostRise is the largest part of the total that a step adds.
	mostRise = 0.10
	// rise is the part of the static total that a step adds.
	rise = 0.05
	// slowly is the part of a step near the total that last made the machine short; near is how
	// near that is, as a part of the total.
	slowly, near = 0.2, 0.10
)

// Controller recommends the total of one server. It is not safe for concurrent use.
// Create one with NewController.
type Controller struct {
	static, lowest, highest float64
	// total is the recommendation before it is rounded, so that small totals change too.
	total float64
	// strained is the total that last made the machine short; 0 if it never was.
	strained float64
	last     time.Duration // the last step
}

// NewController returns a Controller that starts at the static total. The options must be
// valid. Times are durations since a fixed instant.
func NewController(static int, o Options, now time.Duration) *Controller {
	lowest, highest := o.Bounds(static)
	return &Controller{
		static: float64(static), lowest: float64(lowest), highest: float64(highest),
		total: float64(static), last: now,
	}
}

// Due reports whether it is time for a Step.
func (c *Controller) Due(now time.Duration) bool { return now < c.last || now-c.last >= Period }

// Step recommends a total by the samples and the load since the last step.
func (c *Controller) Step(now time.Duration, samples []Sample, load Load) Recommendation {
	v := judge(samples)
	elapsed := now - c.last
	if elapsed < Period {
		if elapsed < 0 { // the clock went back: the next step is a Period from now
			c.last = now
		}
		return c.recommend(&v, Early)
	}
	c.last = now
	switch {
	case v.cut > 0 && load.working(c.lowest):
		return c.recommend(&v, c.lower(&v, load.Needed)...)
	case v.cut > 0:
		return c.recommend(&v, Unused)
	case !load.short():
		return c.recommend(&v, Enough)
	case !v.known:
		return c.recommend(&v, Unknown)
	case !v.clear:
		return c.recommend(&v, NearShort)
	default:
		return c.recommend(&v, c.raise()...)
	}
}

// lower lowers the total by the cut of v, and returns why.
func (c *Controller) lower(v *verdict, needed int) []Reason {
	reasons := v.short
	c.strained = c.total
	target := c.total * (1 - v.cut)
	floor := min(c.total, float64(needed))
	switch {
	case target < floor && floor >= c.lowest:
		target = floor
		reasons = append(reasons, Needed)
	case target < c.lowest:
		target = c.lowest
		reasons = append(reasons, Minimum)
	}
	c.total = target
	return reasons
}

// raise raises the total, and returns why.
func (c *Controller) raise() []Reason {
	step := min(rise*c.static, mostRise*c.total)
	if math.Abs(c.total-c.strained) <= near*c.strained {
		step *= slowly
	}
	c.total += step
	if c.total < c.highest {
		return []Reason{Seats}
	}
	c.total = c.highest
	return []Reason{Seats, Maximum}
}

func (c *Controller) recommend(v *verdict, reasons ...Reason) Recommendation {
	return Recommendation{Total: int(math.Round(c.total)), Reasons: reasons, Pressure: v.pressure}
}
