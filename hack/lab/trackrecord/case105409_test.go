package trackrecord

import (
	"net/http"
	"time"

	"k8s.io/apiserver/pkg/util/flowcontrol"
)

// A watch that another server serves has no seat while it lasts.
func case105409() Case {
	return Case{
		Repository: kubernetes, Number: 105409, Year: 2021,
		Says:     "Watches of aggregated APIs kept a seat as long as they lasted, until a level had none left.",
		Does:     "A level has 5 seats. Its clients watch an aggregated API with 50 watches for 10 minutes, and get one object each second.",
		Measures: "Requests that execute beside the watches. Less than all is harm.",
		Setup: Setup{
			Total:   5,
			Levels:  levels{queuing("apps", 1000, 64, 6)},
			Schemas: schemas{ofUsers("apps", "apps", 100, "informer", "getter")},
			Serve:   takes(10 * time.Millisecond),
			ServeWatch: func(_ http.ResponseWriter, r *http.Request) { // as the proxy of kube-apiserver
				flowcontrol.RequestDelegated(r.Context())
				<-r.Context().Done()
			},
		},
		Run: func(s *Site) Outcome {
			for range 50 {
				s.Go(func() {
					s.Send(Request{User: "informer", Path: "/apis/metrics.k8s.io/v1beta1/pods?watch=true", Timeout: 10 * time.Minute})
				})
			}
			s.Wait(time.Second)
			gets := s.Every(time.Second, 8*time.Minute, Request{User: "getter", Path: "/api/v1/namespaces/shop/secrets/key"})
			s.Join()
			return Outcome{Measured: share(gets.Executed(), gets.Sent()) + " requests execute", Harmed: gets.Executed() < gets.Sent()}
		},
		Plant: func(s *Setup) { s.ServeWatch = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() } },
		Look:  Look{Metrics: []string{"apiserver_flowcontrol_current_executing_seats apps"}},
	}
}
