package trackrecord

import (
	"fmt"
	"time"
)

// Rejected clients retry after the time that the server names.
func case79805() Case {
	return Case{
		Repository: kubernetes, Number: 79805, Year: 2019,
		Says:     "Rejected clients were always told to retry after one second, so thousands of kubelets kept an overloaded server busy with retries.",
		Does:     "300 kubelets send a request each and repeat it when the server says so, for 2 minutes. The level executes 10 requests a second.",
		Measures: "The longest `Retry-After`, and rejected requests in each second of the last minute. 1 s, or half of the kubelets in each second, is harm.",
		Setup: Setup{
			Total:   10,
			Levels:  levels{rejecting("nodes", 100)},
			Schemas: schemas{ofUsers("kubelets", "nodes", 100, "kubelet")},
			Serve:   takes(time.Second),
		},
		Run: func(s *Site) Outcome {
			early := s.Flood(300, 2*time.Minute, Request{User: "kubelet", Path: "/api/v1/nodes/a"})
			s.Wait(time.Minute)
			before := early.All().Rejected()
			s.Join()
			rate, longest := float64(early.All().Rejected()-before)/60, time.Duration(0)
			for _, answer := range early.All() {
				longest = max(longest, answer.RetryAfter)
			}
			return Outcome{
				Measured: fmt.Sprintf("`Retry-After` up to %v, %.0f rejections a second", longest, rate),
				Harmed:   longest <= time.Second || rate >= 150,
			}
		},
		Plant: func(s *Setup) { s.Total, s.Serve = 1000, takes(20*time.Second) }, // nobody is told to wait
		Look:  Look{Metrics: []string{"apiserver_flowcontrol_rejected_requests_total nodes"}, Log: "429", Why: Question{User: "kubelet", FlowSchema: "kubelets"}},
	}
}
