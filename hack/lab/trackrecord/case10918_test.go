package trackrecord

import (
	"fmt"
	"net/http"
	"time"
)

// A controller renews its lease while others of its level flood.
func case10918() Case {
	operator, groups := serviceAccount("cnpg-system", "cnpg-manager")
	setup := builtIn(60)
	setup.Serve = takes(500 * time.Millisecond)
	return Case{
		Repository: "cloudnative-pg/cloudnative-pg", Number: 10918, Year: 2026,
		Says:     "The operator shared a level with noisy clients, got 429 for its lease, and lost its leader election.",
		Does:     "25, then twice 30 service accounts flood `workload-low` of the built-in objects with 120 to 150 connections together. The operator renews its lease every 2 s and gives each attempt 5 s, for a minute each time.",
		Measures: "Renewals that fail. The peer fails at least three.",
		Setup:    setup,
		Run: func(s *Site) Outcome {
			failed, sent, slowest := 0, 0, time.Duration(0)
			for _, crowd := range [][2]int{{25, 5}, {30, 4}, {30, 5}} {
				s.floodWorkloadLow(crowd[0], crowd[1], 80*time.Second)
				s.Wait(20 * time.Second) // levels have borrowed what they may
				renewals := s.Every(2*time.Second, time.Minute, Request{
					User: operator, Groups: groups, Method: http.MethodPut, Timeout: 5 * time.Second,
					Path: "/apis/coordination.k8s.io/v1/namespaces/cnpg-system/leases/db9c8771.cnpg.io",
				})
				s.Join()
				failed, sent = failed+renewals.Sent()-renewals.Executed(), sent+renewals.Sent()
				slowest = max(slowest, renewals.Slowest())
			}
			return Outcome{Measured: fmt.Sprintf("%s renewals fail, the slowest other takes %v", share(failed, sent), slowest), Harmed: failed > 0}
		},
	}
}

// floodWorkloadLow starts service accounts with connections that never pause, for a time.
func (s *Site) floodWorkloadLow(accounts, connections int, d time.Duration) {
	for i := range accounts {
		user, groups := serviceAccount(fmt.Sprintf("team-%d", i), "robot")
		s.Flood(connections, d, Request{User: user, Groups: groups, Path: "/api/v1/pods"})
	}
}
