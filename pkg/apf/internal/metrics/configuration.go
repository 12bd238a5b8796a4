package metrics

import (
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// ConfigurationCollector exports which configuration is enforced, and how much of what is
// stored. Create one with NewConfigurationCollector.
type ConfigurationCollector struct {
	families
	status func() engine.ConfigurationStatus

	info, objects, pending, appliedAt *prometheus.Desc
}

var _ prometheus.Collector = (*ConfigurationCollector)(nil)

// NewConfigurationCollector returns a ConfigurationCollector of what status returns.
func NewConfigurationCollector(status func() engine.ConfigurationStatus) *ConfigurationCollector {
	c := &ConfigurationCollector{status: status}
	c.info = c.add(prefix+"configuration_info",
		alpha+"Hash of the enforced configuration. Servers with the same hash enforce the same flow schemas and priority levels", nil, "hash")
	c.objects = c.add(prefix+"configuration_objects",
		alpha+"Number of stored objects by whether they are enforced: enforced, dangling (the flow schema names a priority level that does not exist), or invalid", nil, "kind", "state")
	c.pending = c.add(prefix+"configuration_pending_changes",
		alpha+"Number of changes of stored objects that have been observed and are not enforced yet", nil)
	c.appliedAt = c.add(prefix+"configuration_last_applied_timestamp_seconds",
		alpha+"Unix time when a configuration was last put into force", nil)
	return c
}

// Collect implements prometheus.Collector. Before a configuration of the API is enforced
// there are no series.
func (c *ConfigurationCollector) Collect(metrics chan<- prometheus.Metric) {
	status := c.status()
	if status.AppliedAt.IsZero() {
		return
	}
	out := &output{metrics: metrics}
	out.gauge(c.info, 1, status.Hash)
	for _, kind := range slices.Sorted(maps.Keys(status.Objects)) {
		counts := status.Objects[kind]
		for _, state := range slices.Sorted(maps.Keys(counts)) {
			out.gauge(c.objects, float64(counts[state]), string(kind), string(state))
		}
	}
	out.gauge(c.pending, float64(status.Pending))
	out.gauge(c.appliedAt, float64(status.AppliedAt.UnixNano())/1e9)
}
