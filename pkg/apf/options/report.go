package options

import (
	"encoding/json"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
)

// statusPath is the debug endpoint of Status.
const statusPath = "/debug/api_priority_and_fairness/configuration_source"

// serve writes the Status as JSON.
func (s *sources) serve(w http.ResponseWriter, _ *http.Request) {
	text, err := json.MarshalIndent(s.status(), "", "  ")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // the client may have left
}

// collector collects the Status of sources.
type collector struct{ sources *sources }

var _ prometheus.Collector = (*collector)(nil)

func (*collector) inForce() *prometheus.Desc {
	return prometheus.NewDesc("apf_configuration_source_in_force",
		"[ALPHA] Whether the configuration of flow control comes from this source, 1 or 0", []string{"source"}, nil)
}

func (*collector) since() *prometheus.Desc {
	return prometheus.NewDesc("apf_configuration_source_since_timestamp_seconds",
		"[ALPHA] Unix time since which the configuration of flow control comes from its source", nil, nil)
}

func (*collector) problem() *prometheus.Desc {
	return prometheus.NewDesc("apf_configuration_source_problem",
		"[ALPHA] Whether this source of the configuration of flow control cannot be used, or not in its last version, 1 or 0", []string{"source"}, nil)
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- c.inForce()
	descriptions <- c.since()
	descriptions <- c.problem()
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(metrics chan<- prometheus.Metric) {
	status := c.sources.status()
	for _, source := range bestFirst() {
		_, problem := status.Problems[source]
		metrics <- prometheus.MustNewConstMetric(c.inForce(), prometheus.GaugeValue, number(source == status.Source), string(source))
		metrics <- prometheus.MustNewConstMetric(c.problem(), prometheus.GaugeValue, number(problem), string(source))
	}
	metrics <- prometheus.MustNewConstMetric(c.since(), prometheus.GaugeValue, float64(status.Since.UnixNano())/1e9)
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
