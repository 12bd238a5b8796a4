package metrics

import (
	"maps"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// NewConfigurationCollector returns a Collector that says which configuration is enforced, and how many of
// the stored objects. Before a configuration of the API is enforced there are no series.
func NewConfigurationCollector(status func() engine.ConfigurationStatus) *Collector {
	c := &Collector{}
	info := c.add(prefix+"configuration_info",
		alpha+"Hash of the enforced configuration. Servers with the same hash enforce the same flow schemas and priority levels", nil, "hash")
	objects := c.add(prefix+"configuration_objects",
		alpha+"Number of stored objects by whether they are enforced: enforced, dangling (the flow schema names a priority level that does not exist), or invalid", nil, "kind", "state")
	pending := c.add(prefix+"configuration_pending_changes",
		alpha+"Number of changes of stored objects that have been observed and are not enforced yet", nil)
	appliedAt := c.add(prefix+"configuration_last_applied_timestamp_seconds",
		alpha+"Unix time when a configuration was last put into force", nil)
	c.collect = func(out *output) {
		status := status()
		if status.AppliedAt.IsZero() {
			return
		}
		out.gauge(info, 1, status.Hash)
		for _, kind := range slices.Sorted(maps.Keys(status.Objects)) {
			counts := status.Objects[kind]
			for _, state := range slices.Sorted(maps.Keys(counts)) {
				out.gauge(objects, float64(counts[state]), string(kind), string(state))
			}
		}
		out.gauge(pending, float64(status.Pending))
		out.gauge(appliedAt, float64(status.AppliedAt.UnixNano())/1e9)
	}
	return c
}
