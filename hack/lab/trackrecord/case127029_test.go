package trackrecord

import (
	"fmt"
	"net/http"
	"time"
)

// A handler that panics gives its seat back.
func case127029() Case {
	const using = "apiserver_flowcontrol_current_executing_seats buggy"
	crash := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	return Case{
		Repository: kubernetes, Number: 127029, Pull: true, Year: 2024,
		Says:     "A watch whose handler panics returns before flow control has finished with it, and is still counted as executing.",
		Does:     "A level has 5 seats. 20 requests and 20 watches panic in their handlers.",
		Measures: "Seats in use 10 ms after each panic. Any is harm.",
		Setup: Setup{
			Total:   5,
			Levels:  levels{queuing("buggy", 1000, 64, 6)},
			Schemas: schemas{ofUsers("buggy", "buggy", 100, "client")},
			Serve:   crash, ServeWatch: crash,
		},
		Run: func(s *Site) Outcome {
			left := 0.0
			for range 20 {
				for _, path := range []string{"/api/v1/pods", "/api/v1/pods?watch=true"} {
					s.Go(func() { s.Send(Request{User: "client", Path: path}) })
					s.Wait(10 * time.Millisecond)
					left = max(left, s.Metric(using))
				}
			}
			return Outcome{Measured: fmt.Sprintf("%.0f seats are kept after 40 panics", left), Harmed: left > 0}
		},
		Plant: func(s *Setup) { s.Serve = takes(time.Second) }, // keeps its seat longer than a panic
		Look:  Look{Metrics: []string{using, "apiserver_flowcontrol_dispatched_requests_total buggy"}},
	}
}
