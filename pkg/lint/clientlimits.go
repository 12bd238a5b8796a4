package lint

import (
	"fmt"
	"math"
	"time"
)

// clientLimit is FC603: a limit of the client allows less than flow control would. It is a
// warning if the client itself says so, and an info if only the times of its requests do,
// or if it is unknown what flow control would give.
func (j *judge) clientLimit(c *LimitedClient) []Finding {
	if c.Said == 0 && (c.Free == nil || *c.Free < 1 || c.HeldUp > 0) {
		return nil // flow control may be what limits it
	}
	severity := Info
	if c.Said > 0 && c.Free != nil && *c.Free > 0 && c.HeldUp == 0 {
		severity = Warning
	}
	found := finding(ClientLimit, c.Object, "", sureness(c)+" "+j.whatFlowControlGives(c)+leftOutOf(j.Facts.Traffic, c), j.limitRemedy(c)).as(severity)
	if c.PriorityLevel != "" {
		found = found.relatedTo(levelObject(c.PriorityLevel))
	}
	return []Finding{found}
}

// sureness says how the limit is known.
func sureness(c *LimitedClient) string {
	even := ""
	if c.PerSecond > 0 {
		even = fmt.Sprintf("%d requests arrived evenly, %.3g a second for %v", c.Requests, c.PerSecond, c.Span.Round(time.Second))
		if c.Burst > 0 {
			even += fmt.Sprintf(" after %d at once", c.Burst)
		}
	}
	server := ""
	if c.SaidServer > 0 {
		server = fmt.Sprintf(" %d other waits in its log were asked for by the server.", c.SaidServer)
	}
	switch {
	case c.Said > 0 && even != "":
		return fmt.Sprintf("This client waits for its own limit: its log says so at least %d times, for up to %v, and %s.%s", c.Said, c.Longest, even, server)
	case c.Said > 0:
		return fmt.Sprintf("This client waits for its own limit: its log says so at least %d times, for up to %v.%s", c.Said, c.Longest, server)
	default:
		return fmt.Sprintf("This client probably waits for its own limit: %s. Its own log would tell for sure.", even)
	}
}

// whatFlowControlGives says what the level had meanwhile.
func (j *judge) whatFlowControlGives(c *LimitedClient) string {
	switch {
	case c.PriorityLevel == "":
		return "Its priority level is unknown, so it is unknown what flow control would give."
	case j.isUnlimited(c.PriorityLevel):
		return fmt.Sprintf("Its priority level, %q, has no limit.", c.PriorityLevel)
	case c.Free == nil:
		return fmt.Sprintf("How many seats of its priority level, %q, were free meanwhile is unknown.", c.PriorityLevel)
	case c.HeldUp > 0:
		return fmt.Sprintf("Its priority level, %q, held up %d requests meanwhile, so flow control would not give more.", c.PriorityLevel, c.HeldUp)
	}
	text := fmt.Sprintf("Its priority level, %q, had at least %d seats free meanwhile", c.PriorityLevel, *c.Free)
	if c.RequestSeatSeconds > 0 && *c.Free > 0 {
		text += fmt.Sprintf(", enough for about %.0f such requests a second", roundDown(float64(*c.Free)/c.RequestSeatSeconds))
	}
	return text + "."
}

// roundDown keeps one digit: the estimate has no more.
func roundDown(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	return math.Floor(x/unit) * unit
}

func (j *judge) limitRemedy(c *LimitedClient) string {
	switch {
	case c.PriorityLevel != "" && j.isUnlimited(c.PriorityLevel):
		return "Keep a limit in the client, because nothing else limits it."
	case c.HeldUp > 0:
		return "Keep the limit, or give the level more seats first."
	case c.PriorityLevel == "" || c.Free == nil:
		return "Keep the limit until this is known: give an audit log or a log of -v=3 of the same time, and name the user of the client's log, as in USER=PATH."
	default:
		return "Raise the limit (--kube-api-qps and --kube-api-burst, or QPS and Burst of the client's configuration), or drop it (QPS -1): flow control then gives it its fair share. Keep one if the client also sends to servers without flow control."
	}
}

// leftOutOf says what the number of free seats does not count.
func leftOutOf(t *Traffic, c *LimitedClient) string {
	if t == nil || t.LeftOut == "" || c.Free == nil {
		return ""
	}
	return " " + t.LeftOut
}
