package metrics

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// ownPrefix begins the names of metrics that k8s.io/apiserver does not have.
const ownPrefix = "apf_"

// NewFlowCollector returns a Collector of whether flows dominate a priority level and whether they are
// rejected, without names of users or namespaces. It has one series for each priority
// level and metric.
func NewFlowCollector(figures func() []engine.FlowFigures) *Collector {
	c := &Collector{}
	heaviest := c.add(ownPrefix+"heaviest_flow_seat_share",
		alpha+"Part of the seat-seconds of the last minute on each priority level that its heaviest flow used, from 0 to 1", nil, levelLabel)
	rejected := c.add(ownPrefix+"rejected_flows",
		alpha+"Number of flows on each priority level with a request that was rejected in the last 5 minutes, at most 100", nil, levelLabel)
	c.collect = func(out *output) {
		for _, f := range figures() {
			out.gauge(heaviest, f.HeaviestShare, f.Level)
			out.gauge(rejected, float64(f.RejectedFlows), f.Level)
		}
	}
	return c
}
