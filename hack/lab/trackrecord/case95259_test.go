package trackrecord

import (
	"fmt"
	"time"
)

// Service accounts use the seats that nobody else wants.
func case95259() Case {
	user, groups := serviceAccount("apps", "robot")
	setup := builtIn(60)
	setup.Serve = takes(500 * time.Millisecond)
	return Case{
		Repository: kubernetes, Number: 95259, Pull: true, Year: 2020,
		Says:     "Service accounts had a tenth of the seats and starved, while the level with half of the seats was unused.",
		Does:     "A server has 60 seats. A service account sends with 120 connections for a minute, and nobody else does.",
		Measures: "Seats that `workload-low` uses after 45 s. Half of all or less is harm.",
		Setup:    setup,
		Run: func(s *Site) Outcome {
			s.Flood(120, time.Minute, Request{User: user, Groups: groups, Path: "/api/v1/pods"})
			s.Wait(45 * time.Second)
			used := s.Metric("apiserver_flowcontrol_current_executing_seats workload-low")
			return Outcome{Measured: fmt.Sprintf("%.0f of 60 seats are used", used), Harmed: used <= 30}
		},
		Plant: func(s *Setup) { s.change("workload-low", borrowsNothing) },
		Look:  Look{Metrics: []string{"apiserver_flowcontrol_current_limit_seats"}},
	}
}
