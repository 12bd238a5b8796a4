package trackrecord

import (
	"net/http"
	"strings"
	"time"
)

// A request of high priority depends on one of low priority.
func case121202() Case {
	adapter, adapterGroups := serviceAccount("monitoring", "adapter")
	scaler, scalerGroups := serviceAccount("kube-system", "horizontal-pod-autoscaler")
	return Case{
		Repository: kubernetes, Number: 121202, Year: 2023,
		Says:     "The autoscaler's requests fail with 500, because the SubjectAccessReviews of the metrics server are throttled on a lower level.",
		Does:     "30 service accounts flood `workload-low` with 4 connections each. The autoscaler, on `workload-high`, reads a metric each second for 100 s. The metrics server asks for a SubjectAccessReview on `workload-low` each time, and gives it 5 s.",
		Measures: "Reads of the autoscaler that get 500. More than 1 of 20 is harm.",
		Setup:    builtIn(60),
		Run: func(s *Site) Outcome {
			s.setup.Serve = func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/apis/custom.metrics.k8s.io") && !s.Send(Request{
					User: adapter, Groups: adapterGroups, Method: http.MethodPost, Timeout: 5 * time.Second,
					Path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
				}).Served() {
					w.WriteHeader(http.StatusInternalServerError)
					return
				}
				takes(500*time.Millisecond)(w, r)
			}
			s.floodWorkloadLow(30, 4, 120*time.Second)
			s.Wait(15 * time.Second) // levels have borrowed what they may
			reads := s.Every(time.Second, 100*time.Second, Request{
				User: scaler, Groups: scalerGroups, Path: "/apis/custom.metrics.k8s.io/v1beta1/namespaces/shop/pods/a/requests",
			})
			s.Join()
			failed, _ := reads.All().Failed()
			return Outcome{Measured: share(failed, reads.Sent()) + " reads get 500", Harmed: failed*20 > reads.Sent()}
		},
	}
}
