package metrics

import (
	"maps"
	"math"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/total"
)

// TotalCollector exports the total of the server, the total that is recommended, and why.
// Create one with NewTotalCollector.
type TotalCollector struct {
	families
	status func() total.Status

	inEffect, recommended, steps, pressure *prometheus.Desc
}

var _ prometheus.Collector = (*TotalCollector)(nil)

// NewTotalCollector returns a TotalCollector of what status returns.
func NewTotalCollector(status func() total.Status) *TotalCollector {
	c := &TotalCollector{status: status}
	c.inEffect = c.add(prefix+"total_seats",
		alpha+"Number of seats that the priority levels share", nil)
	c.recommended = c.add(prefix+"recommended_total_seats",
		alpha+"Number of seats that the machine can handle, by its signals", nil)
	c.steps = c.add(prefix+"recommended_total_steps_total",
		alpha+"Number of computations of the recommended total, every 10 seconds, by the reasons for its change or for none", nil, "reason")
	c.pressure = c.add(prefix+"machine_pressure_ratio",
		alpha+"Signals of the machine (scheduling-latency, memory, throttling) in the last 10 seconds, relative to the threshold that lowers the recommended total", nil, "signal")
	return c
}

// Collect implements prometheus.Collector. Without a recommendation there is only the
// total in effect, and an unknown signal has no series.
func (c *TotalCollector) Collect(metrics chan<- prometheus.Metric) {
	status := c.status()
	out := &output{metrics: metrics}
	out.gauge(c.inEffect, float64(status.InEffect))
	if !status.Active {
		return
	}
	out.gauge(c.recommended, float64(status.Recommendation.Total))
	for _, reason := range slices.Sorted(maps.Keys(status.Steps)) {
		out.counter(c.steps, status.Steps[reason], string(reason))
	}
	for signal, pressure := range status.Recommendation.Pressure {
		if !math.IsNaN(pressure) {
			out.gauge(c.pressure, pressure, total.Signal(signal).String())
		}
	}
}
