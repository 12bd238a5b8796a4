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
		Measures: "Seats in use after 45 s. More than 60 is harm.",
		Setup:    setup,
		Run: func(s *Site) Outcome {
			s.Flood(30, time.Minute, admin)
			s.Flood(90, time.Minute, Request{User: user, Groups: groups, Path: "/api/v1/pods"})
			s.Wait(45 * time.Second)
			used := s.Metric("apiserver_flowcontrol_current_executing_seats")
			return Outcome{Measured: fmt.Sprintf("%.0f of 60 seats are used", used), Harmed: used > 60}
		},
		Plant: func(s *Setup) { s.Total = 120 }, // as if the others did not know of exempt requests
		Look:  Look{Metrics: []string{"apiserver_flowcontrol_current_limit_seats"}},
	}
}
