package trackrecord

import (
	"fmt"
	"time"
)

// One controller in an endless loop, beside others of the same level.
func case7372() Case {
	loop, loopGroups := serviceAccount("broken", "controller")
	setup := builtIn(60)
	setup.Serve = takes(500 * time.Millisecond)
	return Case{
		Repository: "kyverno/kyverno", Number: 7372, Year: 2023,
		Says:     "A controller in an endless loop used up the shared level `workload-low`, and the requests of others were rejected.",
		Does:     "One service account sends with 200 connections for half a minute. 20 others send a request every 2 s.",
		Measures: "Requests of the others that are rejected. More than 1 of 100 is harm.",
		Setup:    setup,
		Run: func(s *Site) Outcome {
			s.Flood(200, 30*time.Second, Request{User: loop, Groups: loopGroups, Path: "/api/v1/pods"})
			s.Wait(time.Second)
			var others []*Tally
			for i := range 20 {
				user, groups := serviceAccount(fmt.Sprintf("team-%d", i), "kyverno")
				others = append(others, s.Every(2*time.Second, 25*time.Second, Request{User: user, Groups: groups, Path: "/api/v1/namespaces/shop/secrets/key"}))
			}
			s.Join()
			sent, rejected := 0, 0
			var slowest time.Duration
			for _, tally := range others {
				sent, rejected, slowest = sent+tally.Sent(), rejected+tally.All().Rejected(), max(slowest, tally.Slowest())
			}
			return Outcome{Measured: fmt.Sprintf("%s requests are rejected, the slowest other takes %v", share(rejected, sent), slowest), Harmed: rejected*100 > sent}
		},
		Plant: func(s *Setup) { s.change("workload-low", rejects) },
		Look:  Look{Metrics: []string{"apiserver_flowcontrol_rejected_requests_total workload-low"}, Why: Question{User: loop, FlowSchema: "service-accounts"}},
	}
}
