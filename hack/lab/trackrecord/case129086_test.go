package trackrecord

import (
	"fmt"
	"slices"
	"time"
)

// A level never gets more seats than there are.
func case129086() Case {
	const upper = "apiserver_flowcontrol_upper_limit_seats"
	return Case{
		Repository: kubernetes, Number: 129086, Year: 2024,
		Says:     "The metric of upper limits promises levels up to 845 seats on a server that has 600.",
		Does:     "A server with the built-in objects and 600 seats. No requests.",
		Measures: "The largest upper limit. More than 600 is harm.",
		Setup:    builtIn(600),
		Run: func(s *Site) Outcome {
			s.Wait(30 * time.Second)
			most := slices.Max(s.Metrics(upper))
			return Outcome{Measured: fmt.Sprintf("upper limits up to %.0f of 600 seats", most), Harmed: most > 600}
		},
	}
}
