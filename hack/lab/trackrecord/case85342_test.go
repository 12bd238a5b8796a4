package trackrecord

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

// Every node lists the EndpointSlices at once.
func case85342() Case {
	proxy, proxyGroups := serviceAccount("kube-system", "kube-proxy")
	body := []byte(strings.Repeat("x", 5<<20)) // 1 KiB for each
	setup := builtIn(600)
	setup.Stored = map[string]int64{"endpointslices.discovery.k8s.io": 5_000}
	return Case{
		Repository: kubernetes, Number: 85342, Year: 2019,
		Says:     "The watches of every kube-proxy ended with 410, and the burst of full lists overloaded the control plane.",
		Does:     "1,000 nodes list 5,000 EndpointSlices from etcd at once, and repeat rejected lists. A list takes 1 s. Meanwhile 20 nodes renew their leases every 2 s.",
		Measures: "Lists that execute at once, and renewals that fail. 100 lists, or one renewal, is harm.",
		Setup:    setup,
		Run: func(s *Site) Outcome {
			var executing, most atomic.Int64
			s.setup.Serve = func(w http.ResponseWriter, r *http.Request) {
				if !strings.Contains(r.URL.Path, "endpointslices") {
					return
				}
				most.Store(max(most.Load(), executing.Add(1)))
				<-time.After(time.Second)
				_, _ = w.Write(body)
				executing.Add(-1)
			}
			list := Request{User: proxy, Groups: proxyGroups, Path: "/apis/discovery.k8s.io/v1/endpointslices"}
			s.Start(s.T.Context(), list.flow(traffic.Flow{Threads: 1000, Count: 1, Retry: traffic.Retry{Tries: math.MaxInt}}))
			var nodes []*Tally
			for node := range 20 {
				nodes = append(nodes, s.Every(2*time.Second, 40*time.Second, Request{
					User: fmt.Sprintf("system:node:n%d", node), Groups: []string{"system:nodes"}, Method: http.MethodPut, Timeout: 10 * time.Second,
					Path: fmt.Sprintf("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n%d", node),
				}))
			}
			s.Join()
			failed := 0
			for _, renewals := range nodes {
				failed += renewals.Sent() - renewals.Executed()
			}
			return Outcome{
				Measured: fmt.Sprintf("%d lists at once, %d renewals fail", most.Load(), failed),
				Harmed:   most.Load() >= 100 || failed > 0,
			}
		},
		Plant: func(s *Setup) { s.Stored = nil },
		Look:  Look{Metrics: []string{"apiserver_flowcontrol_rejected_requests_total", "apiserver_flowcontrol_work_estimated_seats_sum workload-high"}},
	}
}
