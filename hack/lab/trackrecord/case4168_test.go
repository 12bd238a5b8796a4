package trackrecord

import (
	"fmt"
	"net/http"
	"time"
)

// A lease in another namespace than kube-system is renewed on workload-low.
func case4168() Case {
	karpenter, groups := serviceAccount("karpenter", "karpenter")
	agent, agentGroups := serviceAccount("logging", "agent")
	setup := builtIn(60)
	setup.Serve = takes(300 * time.Millisecond)
	return Case{
		Repository: "aws/karpenter-provider-aws", Number: 4168, Year: 2023,
		Says:     "On EKS, Karpenter outside of kube-system could not renew its lease while its level was busy, and crashed.",
		Does:     "100 pods of one DaemonSet flood `workload-low`. Karpenter renews its lease every 2 s and gives each attempt 5 s, for a minute.",
		Measures: "The longest time without a renewal. 10 s, the deadline of client-go, is harm.",
		Setup:    setup,
		Run: func(s *Site) Outcome {
			s.Flood(100, 70*time.Second, Request{User: agent, Groups: agentGroups, Path: "/api/v1/pods"})
			s.Wait(time.Second)
			last, longest := time.Now(), time.Duration(0)
			for range 30 {
				a := s.Send(Request{
					User: karpenter, Groups: groups, Method: http.MethodPut, Timeout: 5 * time.Second,
					Path: "/apis/coordination.k8s.io/v1/namespaces/karpenter/leases/karpenter-leader-election",
				})
				longest = max(longest, time.Since(last))
				if a.Served() {
					last = time.Now()
				}
				s.Wait(2 * time.Second)
			}
			s.Join()
			return Outcome{Measured: fmt.Sprintf("at most %v without a renewal", longest.Round(100*time.Millisecond)), Harmed: longest >= 10*time.Second}
		},
		Plant: func(s *Setup) { s.change("workload-low", rejectsNearlyAll) },
		Look:  Look{Metrics: []string{"apiserver_flowcontrol_rejected_requests_total workload-low"}, Why: Question{User: karpenter, FlowSchema: "service-accounts"}},
	}
}
