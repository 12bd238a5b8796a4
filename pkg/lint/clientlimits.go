package lint

import "fmt"

// clientLimit is FC603: a limit of the client allows less than flow control would. It is an info if
// it is unknown what flow control would give, or if that is not more.
func (j *judge) clientLimit(c *LimitedClient) []Finding {
	message := fmt.Sprintf("This client waits for its own limit: its log says so at least %d times, for up to %v.", c.Said, c.Longest)
	if c.Failed == c.Said {
		message = "This client waits for its own limit."
	}
	if c.Failed > 0 {
		message += fmt.Sprintf(" At least %d of its requests failed, because their deadline was before the end of the wait.", c.Failed)
	}
	if c.SaidServer > 0 {
		message += fmt.Sprintf(" %d other waits in its log were asked for by the server.", c.SaidServer)
	}
	const keep = "Keep the limit until this is known: give an audit log or a log of -v=3 of the same time, and name the user of the client's log, as in USER=PATH."
	found := func(severity Severity, gives, remedy string) []Finding {
		f := finding(ClientLimit, c.Object, "", message+" "+gives, remedy).as(severity)
		if c.PriorityLevel != "" {
			f = f.relatedTo(levelObject(c.PriorityLevel))
		}
		return []Finding{f}
	}
	level := j.Facts.Traffic.Levels[c.PriorityLevel]
	switch {
	case c.PriorityLevel == "":
		return found(Info, "Its priority level is unknown, so it is unknown what flow control would give.", keep)
	case j.isUnlimited(c.PriorityLevel):
		return found(Info, fmt.Sprintf("Its priority level, %q, has no limit.", c.PriorityLevel), "Keep a limit in the client, because nothing else limits it.")
	case level.HeldUp > 0:
		return found(Info, fmt.Sprintf("Its priority level, %q, held up %d requests meanwhile, so flow control would not give more.", c.PriorityLevel, level.HeldUp),
			"Keep the limit, or give the level more seats first.")
	case level.Known == 0:
		return found(Info, fmt.Sprintf("Whether its priority level, %q, held up requests meanwhile is unknown.", c.PriorityLevel), keep)
	default:
		return found(Warning, fmt.Sprintf("Its priority level, %q, held up none of %d requests meanwhile. %s", c.PriorityLevel, level.Known, j.Facts.Traffic.LeftOut),
			"Raise the limit (--kube-api-qps and --kube-api-burst, or QPS and Burst of the client's configuration), or drop it (QPS -1): flow control then gives it its fair share. Keep one if the client also sends to servers without flow control.")
	}
}
