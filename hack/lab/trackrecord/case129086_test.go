package trackrecord

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// A level never gets more seats than there are.
func case129086() Case {
	const upper = "apiserver_flowcontrol_upper_limit_seats"
	return Case{
		Repository: kubernetes, Number: 129086, Year: 2024,
		Says:       "The metric of upper limits promises levels up to 845 seats on a server that has 600.",
		Does:       "A server with the built-in objects and 600 seats. No requests.",
		Measures:   "The largest upper limit. More than 600 is harm.",
		PeerHarmed: true,
		Setup:      builtIn(600),
		Run: func(s *Site) Outcome {
			s.Wait(30 * time.Second)
			most := 0.0
			for _, line := range s.Metrics(upper) {
				var value float64
				_, err := fmt.Sscan(line[strings.LastIndex(line, " ")+1:], &value)
				require.NoError(s.T, err)
				most = max(most, value)
			}
			return Outcome{Measured: fmt.Sprintf("upper limits up to %.0f of 600 seats", most), Harmed: most > 600}
		},
		OnServers: func(t *testing.T, s *harness.APIServer) Outcome {
			most := 0.0
			for _, value := range gauges(t, s, upper) {
				most = max(most, value)
			}
			return Outcome{Measured: fmt.Sprintf("upper limits up to %.0f of 600 seats", most), Harmed: most > 600}
		},
		Look: Look{Metrics: []string{upper}},
	}
}
