package trackrecord

import (
	"fmt"
	"time"
)

// Exempt has a target of its own in the metrics.
func case141496() Case {
	const target = "apiserver_flowcontrol_target_seats "
	return Case{
		Repository: kubernetes, Number: 141496, Pull: true, Year: 2026,
		Says:     "The metric of target seats shows for `exempt` the target of another level, so dashboards show an idle level that wants seats.",
		Does:     "A client keeps 20 of 100 seats busy for a minute. Nobody sends exempt requests.",
		Measures: "`apiserver_flowcontrol_target_seats` of `exempt`. More than its limit, which is 0, is harm.",
		Setup: Setup{
			Total:   100,
			Levels:  levels{queuing("busy", 30, 64, 6)},
			Schemas: schemas{ofUsers("workers", "busy", 100, "worker")},
			Serve:   takes(time.Second),
		},
		Run: func(s *Site) Outcome {
			s.Flood(20, time.Minute, Request{User: "worker", Path: "/api/v1/pods"})
			s.Wait(35 * time.Second)
			wanted, limit := s.Metric(target+`"exempt"`), s.Metric(`apiserver_flowcontrol_current_limit_seats "exempt"`)
			return Outcome{Measured: fmt.Sprintf("target of exempt: %.0f seats, limit %.0f", wanted, limit), Harmed: wanted > limit}
		},
	}
}
