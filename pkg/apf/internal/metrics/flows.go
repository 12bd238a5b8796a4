package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// ownPrefix begins the names of metrics that k8s.io/apiserver does not have.
const ownPrefix = "apf_"

// FlowCollector exports whether flows dominate a priority level and whether they are
// rejected, without names of users or namespaces. It has one series for each priority
// level and metric. Create one with NewFlowCollector.
type FlowCollector struct {
	families
	figures func() []engine.FlowFigures

	heaviest, rejected *prometheus.Desc
}

var _ prometheus.Collector = (*FlowCollector)(nil)

// NewFlowCollector returns a FlowCollector of what figures returns.
func NewFlowCollector(figures func() []engine.FlowFigures) *FlowCollector {
	c := &FlowCollector{figures: figures}
	c.heaviest = c.add(ownPrefix+"heaviest_flow_seat_share",
		alpha+"Part of the seat-seconds of the last minute on each priority level that its heaviest flow used, from 0 to 1", nil, levelLabel)
	c.rejected = c.add(ownPrefix+"rejected_flows",
		alpha+"Number of flows on each priority level with a request that was rejected in the last 5 minutes, at most 100", nil, levelLabel)
	return c
}

// Collect implements prometheus.Collector.
func (c *FlowCollector) Collect(metrics chan<- prometheus.Metric) {
	out := &output{metrics: metrics}
	for _, f := range c.figures() {
		out.gauge(c.heaviest, f.HeaviestShare, f.Level)
		out.gauge(c.rejected, float64(f.RejectedFlows), f.Level)
	}
}
