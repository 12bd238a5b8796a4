package trackrecord

import (
	"fmt"
	"net/http"
	"time"
)

// A write that many watch takes more seats than its level has.
func case107964() Case {
	const (
		level      = "small"
		seatsInUse = "apiserver_flowcontrol_current_executing_seats"
		seatsLimit = "apiserver_flowcontrol_current_limit_seats"
	)
	return Case{
		Repository: kubernetes, Number: 107964, Year: 2022,
		Says:     "On a level without queues, the seats that a write needs for its watchers are not reduced to the limit of the level.",
		Does:     "A level without queues has a limit of 1 seat. 400 clients watch ConfigMaps, and one client of the level writes one.",
		Measures: "The most seats in use on the level. More than its limit is harm.",
		Setup: Setup{
			Total:   100,
			Levels:  levels{rejecting(level, 1), queuing("others", 100, 64, 6)},
			Schemas: schemas{ofUsers("writers", level, 100, "writer")},
			Serve:   takes(10 * time.Millisecond),
		},
		Run: func(s *Site) Outcome {
			stop := s.Watch(400, "/api/v1/configmaps?watch=true")
			defer stop()
			s.Go(func() {
				s.Send(Request{User: "writer", Method: http.MethodPut, Path: "/api/v1/namespaces/shop/configmaps/prices"})
			})
			most, limit := 0.0, s.Metric(seatsLimit+" "+level)
			for range 20 {
				s.Wait(2 * time.Millisecond)
				most = max(most, s.Metric(seatsInUse+" "+level))
			}
			return Outcome{Measured: fmt.Sprintf("%.0f seats in use, limit %.0f", most, limit), Harmed: most > limit}
		},
	}
}
