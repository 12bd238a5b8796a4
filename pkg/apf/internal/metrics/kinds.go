package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

const kindLabel = "request_kind"

// KindCollector exports how many requests of each kind wait and execute, as counted by
// package filter. The filter of k8s.io/apiserver exports its own counts. Create one
// with NewKindCollector.
type KindCollector struct {
	families
	snapshot func() stats.KindSnapshot

	readVersusWrite, inFlight, inQueue *prometheus.Desc
}

var _ prometheus.Collector = (*KindCollector)(nil)

// NewKindCollector returns a KindCollector of the results of snapshot.
func NewKindCollector(snapshot func() stats.KindSnapshot) *KindCollector {
	c := &KindCollector{snapshot: snapshot}
	c.readVersusWrite = c.add(prefix+"read_vs_write_current_requests",
		timed+"Observations, at the end of every nanosecond, of the number of requests (as a fraction of the relevant limit) waiting or in regular stage of execution",
		nil, phaseLabel, kindLabel)
	c.inFlight = c.add("apiserver_current_inflight_requests",
		stable+"Maximal number of currently used inflight request limit of this apiserver per request kind in last second.", nil, kindLabel)
	c.inQueue = c.add("apiserver_current_inqueue_requests",
		alpha+"Maximal number of queued requests in this apiserver per request kind in last second.", nil, kindLabel)
	return c
}

// Collect implements prometheus.Collector.
func (c *KindCollector) Collect(metrics chan<- prometheus.Metric) {
	snapshot := c.snapshot()
	out := &output{metrics: metrics}
	for kind := range stats.KindCount {
		waiting, executing := &snapshot.Waiting[kind], &snapshot.Executing[kind]
		out.histogram(c.readVersusWrite, &waiting.Share, "waiting", kind.String())
		out.histogram(c.readVersusWrite, &executing.Share, "executing", kind.String())
		out.gauge(c.inFlight, float64(executing.Peak), kind.String())
		out.gauge(c.inQueue, float64(waiting.Peak), kind.String())
	}
}
