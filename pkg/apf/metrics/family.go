package metrics

import "github.com/prometheus/client_golang/prometheus"

const prefix = "apiserver_flowcontrol_"

// The stability levels, as they are shown in front of the help.
const (
	alpha  = "[ALPHA] "
	beta   = "[BETA] "
	stable = "[STABLE] "
	// timed marks a time-weighted histogram.
	timed = "EXPERIMENTAL: " + alpha
)

// Labels.
const (
	levelLabel  = "priority_level"
	schemaLabel = "flow_schema"
	phaseLabel  = "phase"
)

// families are the descriptions of all metrics of one collector.
type families struct {
	descs []*prometheus.Desc
	names []string
}

// add describes one more family.
func (f *families) add(name, help string, constant prometheus.Labels, labels ...string) *prometheus.Desc {
	desc := prometheus.NewDesc(name, help, labels, constant)
	f.descs = append(f.descs, desc)
	f.names = append(f.names, name)
	return desc
}

func (f *families) describe(descs chan<- *prometheus.Desc) {
	for _, desc := range f.descs {
		descs <- desc
	}
}
