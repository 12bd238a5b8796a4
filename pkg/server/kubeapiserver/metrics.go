package kubeapiserver

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// collector exports the results of the checks.
type collector struct {
	checks              []*Check
	passing, lastPassed *prometheus.Desc
}

var _ prometheus.Collector = (*collector)(nil)

// Metrics has the metrics of the checks. A check that is optional for readiness, or that
// has passed once, no longer makes the server unready; its metrics still tell.
func (m *Monitor) Metrics() prometheus.Collector {
	labels := []string{"check"}
	return &collector{
		checks: m.checks,
		passing: prometheus.NewDesc("flowcontrol_apiserver_upstream_check_passing",
			"[ALPHA] Whether the last attempt at a check of the kube-apiserver in front passed, 1 or 0", labels, nil),
		lastPassed: prometheus.NewDesc("flowcontrol_apiserver_upstream_check_last_success_timestamp_seconds",
			"[ALPHA] Unix time when a check of the kube-apiserver in front last passed, 0 if it never did", labels, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(descs chan<- *prometheus.Desc) {
	descs <- c.passing
	descs <- c.lastPassed
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(metrics chan<- prometheus.Metric) {
	for _, check := range c.checks {
		passing, last := check.results()
		value, at := 0.0, 0.0
		if passing {
			value = 1
		}
		if !last.IsZero() {
			at = float64(last.UnixNano()) / float64(time.Second)
		}
		metrics <- prometheus.MustNewConstMetric(c.passing, prometheus.GaugeValue, value, check.name)
		metrics <- prometheus.MustNewConstMetric(c.lastPassed, prometheus.GaugeValue, at, check.name)
	}
}
