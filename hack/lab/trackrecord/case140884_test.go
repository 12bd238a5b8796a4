package trackrecord

import (
	"fmt"
	"net/http"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// A write that many watch keeps its seats after its answer. Meanwhile its queue goes.
func case140884() Case {
	const schema, level, queues = "writers", "shrinking", 8
	writer := inLastQueue(schema, queues)
	return Case{
		Repository: kubernetes, Number: 140884, Year: 2026,
		Says:     "kube-apiserver panics and exits when a level gets fewer queues while a finished write still has seats in a removed queue.",
		Does:     "400 clients watch ConfigMaps. One client writes and reads at the same time, in the last of 8 queues. The level is changed to 1 queue. The write is answered and keeps its seats for the watchers, then the read is answered.",
		Measures: "Panics outside of any request. One ends the process, so any is harm.",
		Setup: Setup{
			Total:   100,
			Levels:  levels{queuing(level, 30, queues, 1)},
			Schemas: schemas{ofUsers(schema, level, 100, writer)},
			Serve: func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPut {
					takes(100*time.Millisecond)(w, r)
					return
				}
				takes(110*time.Millisecond)(w, r)
			},
		},
		Run: func(s *Site) Outcome {
			stop := s.Watch(400, "/api/v1/configmaps?watch=true")
			s.Go(func() {
				s.Send(Request{User: writer, Method: http.MethodPut, Path: "/api/v1/namespaces/shop/configmaps/prices"})
			})
			s.Go(func() { s.Send(Request{User: writer, Path: "/api/v1/namespaces/shop/secrets/key"}) })
			s.Settle()
			s.Apply(queuing(level, 30, 1, 1))
			s.Wait(time.Minute)
			stop()
			count, last := s.Panics()
			measured := "no panic"
			if count > 0 {
				measured = fmt.Sprintf("panic: %s", last)
			}
			return Outcome{Measured: measured, Harmed: count > 0}
		},
	}
}

// inLastQueue returns a user whose flow has the last queue, with hands of one queue.
func inLastQueue(schema string, queues uint64) string {
	for i := 0; ; i++ {
		if name := fmt.Sprintf("writer-%d", i); uint64(flow.HashOf(schema, name))%queues == queues-1 {
			return name
		}
	}
}
