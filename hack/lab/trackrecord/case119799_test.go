package trackrecord

import (
	"fmt"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

// A request waits no longer than its limit, even if no seat becomes free.
func case119799() Case {
	const limit = traffic.RequestTimeout / 4
	return Case{
		Repository: kubernetes, Number: 119799, Year: 2023,
		Says:     "Requests waited in a queue for longer than the limit of 15 seconds.",
		Does:     "Both seats of a level are in use for longer than that, so nothing is dispatched. A third request arrives.",
		Measures: "How long it waits until its rejection. More than 15 s is harm.",
		Setup: Setup{
			Total:   2,
			Levels:  levels{queuing("stuck", 1000, 1, 1)},
			Schemas: schemas{ofUsers("stuck", "stuck", 100, "client")},
			Serve:   takes(time.Hour),
		},
		Run: func(s *Site) Outcome {
			leave := s.Hold(2, Request{User: "client", Path: "/api/v1/pods", Timeout: 2 * time.Hour})
			third := s.Send(Request{User: "client", Path: "/api/v1/secrets"})
			leave()
			return Outcome{Measured: fmt.Sprintf("status %d after %v", third.Status, third.Took), Harmed: third.Took > limit}
		},
		Plant: func(s *Setup) { s.RequestTimeout = 4 * time.Minute },
		Look:  Look{Metrics: []string{"apiserver_flowcontrol_rejected_requests_total stuck"}, Log: "429", Why: Question{User: "client", FlowSchema: "stuck"}},
	}
}
