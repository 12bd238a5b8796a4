package trackrecord

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
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
		Says:       "A level of zero shares that rejects was meant to lock out one ServiceAccount on AKS, and part of its requests got 200.",
		Does:       "The level `workload-jail` has 0 shares, lends and borrows nothing, and has `limitResponse: Reject`. One client of it sends 100 requests, one at a time.",
		Measures:   "Requests that execute. Any is harm.",
		PeerHarmed: true,
		Setup:      jail,
		Run: func(s *Site) Outcome {
			executed := 0
			for range 100 {
				if s.Send(Request{User: prisoner, Path: "/api/v1/namespaces/monitoring/pods"}).Served() {
					executed++
				}
			}
			return Outcome{Measured: share(executed, 100) + " requests execute", Harmed: executed > 0}
		},
		OnServers: func(t *testing.T, s *harness.APIServer) Outcome {
			configure(t, s, jail)
			target, passed := targetOf(t, s), 0
			for range 100 {
				status, _, _, err := target.Do(t.Context(), traffic.User{Name: prisoner}, traffic.Request{Path: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"})
				require.NoError(t, err)
				if status != http.StatusTooManyRequests {
					passed++
				}
			}
			return Outcome{Measured: share(passed, 100) + " requests pass flow control", Harmed: passed > 0}
		},
		Look: Look{
			Metrics: []string{"apiserver_flowcontrol_dispatched_requests_total workload-jail", "apiserver_flowcontrol_rejected_requests_total workload-jail"},
			Log:     "HTTP",
			Why:     Question{User: prisoner, FlowSchema: "jail-grafana-alloy"},
		},
	}
}
