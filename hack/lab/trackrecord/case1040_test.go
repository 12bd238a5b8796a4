package trackrecord

import (
	"fmt"
	"time"
)

// Elephants that together fill every queue of a mouse's hand crush it.
func case1040() Case {
	const elephants, mice = 16, 200
	setup := Setup{
		Total:   20,
		Levels:  levels{queuing("shared", 1000, 64, 10)},
		Schemas: schemas{ofUsers("all", "shared", 100, "*")},
		Serve:   takes(100 * time.Millisecond),
	}
	return Case{
		Repository: "kubernetes/enhancements", Number: 1040, Year: 2019,
		Says:     "By the table in the documentation, with hands of 10 out of 64 queues, 16 elephants crush a mouse with a probability of 50%.",
		Does:     "16 elephants send 500 requests each at once, as many as the queues of a hand hold. Then each of 200 mice sends one request.",
		Measures: "Requests of mice that are rejected. One is harm.",
		Setup:    setup,
		Run: func(s *Site) Outcome {
			for i := range elephants {
				s.Burst(500, Request{User: fmt.Sprintf("elephant-%d", i), Path: "/api/v1/pods"})
			}
			s.Settle()
			sent := make([]*Tally, mice)
			for i := range mice {
				sent[i] = s.Burst(1, Request{User: fmt.Sprintf("mouse-%d", i), Path: "/api/v1/namespaces/shop/secrets/key"})
			}
			s.Join()
			executed := 0
			for _, tally := range sent {
				executed += tally.Executed()
			}
			return Outcome{Measured: share(mice-executed, mice) + " mice are crushed", Harmed: executed < mice}
		},
	}
}
