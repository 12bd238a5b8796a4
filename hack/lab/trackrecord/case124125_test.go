package trackrecord

import (
	"fmt"
	"time"
)

// Exempt requests use seats that other levels must do without.
func case124125() Case {
	admin := Request{User: "admin", Groups: []string{"system:masters"}, Path: "/api/v1/pods"}
	user, groups := serviceAccount("apps", "robot")
	setup := builtIn(60)
	setup.Serve = takes(time.Second)
	return Case{
		Repository: kubernetes, Number: 124125, Year: 2024,
		Says:     "Exempt requests borrowed no seats from other levels, so a server executed more than its total when both were busy.",
		Does:     "A server has 60 seats. 30 exempt requests execute at any time, and a service account asks for more than is left, for a minute.",
		Measures: "The current limit of `exempt` after 45 s. Less than the 30 seats that it uses is harm.",
		Setup:    setup,
		Run: func(s *Site) Outcome {
			s.Flood(30, time.Minute, admin)
			s.Flood(90, time.Minute, Request{User: user, Groups: groups, Path: "/api/v1/pods"})
			s.Wait(45 * time.Second)
			limit := s.Metric(`apiserver_flowcontrol_current_limit_seats "exempt"`)
			return Outcome{Measured: fmt.Sprintf("exempt has %.0f seats and uses 30", limit), Harmed: limit < 30}
		},
		Look: Look{Metrics: []string{"apiserver_flowcontrol_current_limit_seats"}},
	}
}
