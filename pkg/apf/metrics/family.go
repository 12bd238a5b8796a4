package metrics

import "github.com/prometheus/client_golang/prometheus"

const prefix = "apiserver_flowcontrol_"

// The stability levels, as they are shown in front of the help.
const (
	alpha = "[ALPHA] "
	beta  = "[BETA] "
	// timed marks a time-weighted histogram.
	timed = "EXPERIMENTAL: " + alpha
)

// Labels.
const (
	levelLabel  = "priority_level"
	schemaLabel = "flow_schema"
	phaseLabel  = "phase"
)

// families are the descriptions of all metrics.
type families struct {
	all   []*prometheus.Desc
	names []string

	seriesFamilies
	levelFamilies
	seatFairFrac *prometheus.Desc
}

func (f *families) add(name, help string, labels ...string) *prometheus.Desc {
	return f.addConst(name, help, nil, labels...)
}

func (f *families) addConst(name, help string, constant prometheus.Labels, labels ...string) *prometheus.Desc {
	desc := prometheus.NewDesc(prefix+name, help, labels, constant)
	f.all = append(f.all, desc)
	f.names = append(f.names, prefix+name)
	return desc
}

func newFamilies() *families {
	f := &families{}
	f.seriesFamilies = newSeriesFamilies(f)
	f.levelFamilies = newLevelFamilies(f)
	f.seatFairFrac = f.add("seat_fair_frac", alpha+"Fair fraction of server's concurrency to allocate to each priority level that can use it")
	return f
}
