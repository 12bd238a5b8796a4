package lint

import "fmt"

// clientLimit is FC603: a limit of the client allows less than flow control would. It is an info if
// it is unknown what flow control would give, or if that is not more.
func (j *judge) clientLimit(c *LimitedClient) []Finding {
	message := fmt.Sprintf("This client waits for its own limit: its log says so at least %s, for up to %v.", counted(c.Said, "time"), c.Longest)
	switch c.Said {
	case 0:
		message = "This client does not wait for its own limit."
	case c.Failed:
		message = "This client waits for its own limit."
	}
	if c.Failed > 0 {
		message += fmt.Sprintf(" At least %d of its requests failed, because their deadline was before the end of the wait.", c.Failed)
	}
	if others := c.SaidServer - c.Rejected; others > 0 {
		message += fmt.Sprintf(" The server asked for %s in its log.", counted(others, "other wait"))
	}
	if c.Rejected > 0 {
		message += fmt.Sprintf(" Flow control rejected its requests: its log says so %s, and it waited for up to %v.", counted(c.Rejected, "time"), c.LongestRejected)
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
	case c.Said == 0:
		return found(Info, "So its limit is not what delays it.", "Leave the limit as it is. kubectl apf why says why flow control rejected the requests, and kubectl apf whose names the flow schema.")
	case c.Rejected > 0 && c.PriorityLevel == "":
		return found(Info, "So flow control would not give more.", "Keep the limit. kubectl apf why says why flow control rejected the requests.")
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
			"Drop the limit (QPS -1), or raise it (QPS and Burst, --kube-api-qps and --kube-api-burst). Before, kubectl apf simulate --client-log says which rate would follow, and who would wait for it. Keep one for servers without flow control.")
	}
}
