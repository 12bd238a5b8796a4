package trackrecord

import "fmt"

// A watch without a resource version sends every object first.
func case134580() Case {
	const estimated = "apiserver_flowcontrol_work_estimated_seats_sum"
	user, groups := serviceAccount("apps", "informer")
	setup := builtIn(600)
	setup.Stored = map[string]int64{"pods": 10_000}
	return Case{
		Repository: kubernetes, Number: 134580, Year: 2025,
		Says:     "Watches without a resource version first send the whole collection, kept an API server's processors busy, and were counted as one seat.",
		Does:     "10,000 pods are stored. A client watches them without a resource version.",
		Measures: "The seats of the watch while it sends the first events. One seat is harm: a list of the same pods costs 10 or more.",
		Setup:    setup,
		Run: func(s *Site) Outcome {
			leave := s.Hold(1, Request{User: user, Groups: groups, Path: "/api/v1/pods?watch=true"})
			leave()
			seats := s.Metric(estimated)
			return Outcome{Measured: fmt.Sprintf("10,000 pods cost %.0f in seats", seats), Harmed: seats <= 1}
		},
	}
}
