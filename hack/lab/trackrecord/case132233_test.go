package trackrecord

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// Few large objects take as much memory as many small ones.
func case132233() Case {
	const size, ceiling = 1 << 20, 100
	user, _ := serviceAccount("backup", "exporter")
	body := []byte(strings.Repeat("x", size))
	setup := builtIn(600).with(queuing("exports", 1000, 64, 6), ofUsers("exports", "exports", 100, user))
	setup.Stored = map[string]int64{"configmaps": 10}
	return Case{
		Repository: kubernetes, Number: 132233, Year: 2025,
		Says:     "Lists cost seats by the number of objects, so lists of few large objects execute together until the memory is full.",
		Does:     "10 ConfigMaps of 100 KiB are stored. One client lists them with 200 connections, without pause, for 3 s, on a level of 482 seats. Each list holds its response of 1 MiB for 300 ms.",
		Measures: "Responses that are in memory at the same time. More than 100 MiB is harm; the measurements of the report stay below it with one seat for each 100 KB.",
		Setup:    setup,
		Run: func(s *Site) Outcome {
			var executing, most atomic.Int64
			s.setup.Serve = func(w http.ResponseWriter, _ *http.Request) {
				most.Store(max(most.Load(), executing.Add(1)))
				<-time.After(300 * time.Millisecond)
				_, _ = w.Write(body)
				executing.Add(-1)
			}
			s.Flood(200, 3*time.Second, Request{User: user, Path: "/api/v1/configmaps"})
			s.Wait(2 * time.Second) // what lists take is known
			most.Store(0)
			s.Join()
			return Outcome{Measured: fmt.Sprintf("%d MiB of responses at once", most.Load()*size>>20), Harmed: most.Load() > ceiling}
		},
	}
}
