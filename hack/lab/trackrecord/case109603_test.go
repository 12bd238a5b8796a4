package trackrecord

import (
	"net/http"
	"time"
)

// Watches hang because the watch cache of their type cannot be filled. This engine returns the seats of a watch that
// has sent no event after a minute. Since Kubernetes 1.31 the storage of kube-apiserver rejects such watches; the case
// stands for a storage that does not.
func case109603() Case {
	return Case{
		Repository: kubernetes, Number: 109603, Year: 2022,
		Says:     "Watches of a type with a broken conversion webhook hang before their first event, and keep the seats of their level.",
		Does:     "A level has 20 seats. 60 clients watch a type whose watch cache is never filled, for an hour each, and repeat rejected watches. After 5 minutes another client gets one object each second.",
		Measures: "Requests of the other client that execute within 5 minutes. Less than all is harm.",
		Setup: Setup{
			Total:      20,
			Levels:     levels{queuing("apps", 1000, 64, 6)},
			Schemas:    schemas{ofUsers("apps", "apps", 100, "informer", "getter")},
			Serve:      takes(10 * time.Millisecond),
			ServeWatch: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		},
		Run: func(s *Site) Outcome {
			s.Flood(60, 30*time.Minute, Request{User: "informer", Path: "/apis/example.com/v1/crontabs?watch=true", Timeout: time.Hour})
			s.Wait(5 * time.Minute)
			gets := s.Every(time.Second, 5*time.Minute, Request{User: "getter", Path: "/api/v1/namespaces/shop/secrets/key"})
			s.Join()
			return Outcome{Measured: share(gets.Executed(), gets.Sent()) + " requests execute", Harmed: gets.Executed() < gets.Sent()}
		},
	}
}
