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

// collectors are of the metrics of the Status.
func (s *sources) collectors() (all []prometheus.Collector) {
	gauge := func(name, help string, labels prometheus.Labels, value func(Status) float64) {
		all = append(all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: "[ALPHA] " + help, ConstLabels: labels},
			func() float64 { return value(s.status()) }))
	}
	for _, source := range bestFirst() {
		label := prometheus.Labels{"source": string(source)}
		gauge("apf_configuration_source_in_force", "Whether the configuration of flow control comes from this source, 1 or 0", label,
			func(status Status) float64 { return number(status.Source == source) })
		gauge("apf_configuration_source_problem", "Whether this source of the configuration of flow control cannot be used, or not in its last version, 1 or 0", label,
			func(status Status) float64 { return number(status.Problems[source] != "") })
	}
	gauge("apf_configuration_source_since_timestamp_seconds", "Unix time since which the configuration of flow control comes from its source", nil,
		func(status Status) float64 { return float64(status.Since.UnixNano()) / 1e9 })
	return all
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
