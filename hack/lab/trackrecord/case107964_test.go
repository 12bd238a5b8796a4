package trackrecord

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
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
		Says:       "On a level without queues, the seats that a write needs for its watchers are not reduced to the limit of the level.",
		Does:       "A level without queues has a limit of 1 seat. 400 clients watch ConfigMaps, and one client of the level writes one.",
		Measures:   "The most seats in use on the level. More than its limit is harm.",
		PeerHarmed: true,
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
		OnServers: func(t *testing.T, s *harness.APIServer) Outcome {
			const objects = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
			configure(t, s, Setup{Levels: levels{rejecting(level, 1)}, Schemas: schemas{ofUsers("writers", level, 100, "writer")}})
			stop := watches(t, s, objects+"?watch=true", 100)
			defer stop()
			written := writes(t, s, "writer", objects+"/writers", 1)
			most, ofLevel := 0.0, `priority_level="small"`
			for range 50 {
				most = max(most, gauges(t, s, seatsInUse).Sum(seatsInUse, ofLevel))
			}
			require.NoError(t, written())
			require.Positive(t, most, "no write had a seat")
			limit := gauges(t, s, seatsLimit).Sum(seatsLimit, ofLevel)
			return Outcome{Measured: fmt.Sprintf("%.0f seats in use, limit %.0f", most, limit), Harmed: most > limit}
		},
		Look: Look{Metrics: []string{seatsInUse + " " + level, "apiserver_flowcontrol_work_estimated_seats_sum " + level}, Log: "HTTP"},
	}
}
