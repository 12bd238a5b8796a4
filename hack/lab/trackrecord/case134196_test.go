package trackrecord

import (
	"time"
)

// A level without seats and without queues is a jail: every request of it is rejected.
func case134196() Case {
	const prisoner = "system:serviceaccount:monitoring:grafana-alloy"
	jail := Setup{
		Total:   100,
		Levels:  levels{rejecting("workload-jail", 0)},
		Schemas: schemas{ofUsers("jail-grafana-alloy", "workload-jail", 5, prisoner)},
		Serve:   takes(10 * time.Millisecond),
	}
	return Case{
		Repository: kubernetes, Number: 134196, Year: 2025,
		Says:     "A level of zero shares that rejects was meant to lock out one ServiceAccount on AKS, and part of its requests got 200.",
		Does:     "The level `workload-jail` has 0 shares, lends and borrows nothing, and has `limitResponse: Reject`. One client of it sends 100 requests, one at a time.",
		Measures: "Requests that execute. Any is harm.",
		Setup:    jail,
		Run: func(s *Site) Outcome {
			executed := 0
			for range 100 {
				if s.Send(Request{User: prisoner, Path: "/api/v1/namespaces/monitoring/pods"}).Served() {
					executed++
				}
			}
			return Outcome{Measured: share(executed, 100) + " requests execute", Harmed: executed > 0}
		},
	}
}
