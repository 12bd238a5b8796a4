package trackrecord

import "fmt"

// A selector makes the server read everything, whatever the limit of the page is.
func case104596() Case {
	const estimated = "apiserver_flowcontrol_work_estimated_seats_sum"
	user, groups := serviceAccount("apps", "lister")
	setup := builtIn(600)
	setup.Stored = map[string]int64{"pods": 10_000}
	return Case{
		Repository: kubernetes, Number: 104596, Year: 2021,
		Says:     "A list with a selector and a small page was estimated by the page, although the server reads the whole collection.",
		Does:     "10,000 pods are stored. A client lists them with a label selector and `limit=1`.",
		Measures: "The seats of the list. One seat is harm.",
		Setup:    setup,
		Run: func(s *Site) Outcome {
			s.Send(Request{User: user, Groups: groups, Path: "/api/v1/pods?limit=1&labelSelector=app%3Dshop"})
			seats := s.Metric(estimated)
			return Outcome{Measured: fmt.Sprintf("%.0f seats", seats), Harmed: seats <= 1}
		},
		Plant: func(s *Setup) { s.Stored = nil },
		Look:  Look{Metrics: []string{estimated}, Log: "HTTP"},
	}
}
