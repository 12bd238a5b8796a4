package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

const prefix = "apiserver_flowcontrol_"

// The stability levels, at the beginning of the help.
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

// families are the descriptions of the metrics of the collector that embeds them.
type families struct {
	descs []*prometheus.Desc
	names []string
}

// add adds a family.
func (f *families) add(name, help string, constant prometheus.Labels, labels ...string) *prometheus.Desc {
	desc := prometheus.NewDesc(name, help, labels, constant)
	f.descs = append(f.descs, desc)
	f.names = append(f.names, name)
	return desc
}

// Names returns the names of all families of the collector, for Union.
func (f *families) Names() []string { return slices.Clone(f.names) }

// Describe implements prometheus.Collector.
func (f *families) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range f.descs {
		descs <- desc
	}
}

// Collector exports the reports of an engine. Create one with NewCollector.
type Collector struct {
	families
	report func() engine.Report

	series       seriesFamilies
	levels       levelFamilies
	seatFairFrac *prometheus.Desc
}

var _ prometheus.Collector = (*Collector)(nil)

// NewCollector returns a Collector of what report returns.
func NewCollector(report func() engine.Report) *Collector {
	c := &Collector{report: report}
	c.series = newSeriesFamilies(&c.families)
	c.levels = newLevelFamilies(&c.families)
	c.seatFairFrac = c.add(prefix+"seat_fair_frac",
		alpha+"Fair fraction of server's concurrency to allocate to each priority level that can use it", nil)
	return c
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(metrics chan<- prometheus.Metric) {
	report := c.report()
	out := &output{metrics: metrics}
	for i := range report.Levels {
		c.levels.collect(&report.Levels[i], out)
	}
	for i := range report.Series {
		c.series.collect(&report.Series[i], out)
	}
	out.gauge(c.seatFairFrac, report.FairFraction)
}

// output sends metrics. Names of levels and schemas are valid label values, because
// the API admits no other names.
type output struct {
	metrics chan<- prometheus.Metric
}

func (o *output) counter(desc *prometheus.Desc, n uint64, labels ...string) {
	o.metrics <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(n), labels...)
}

func (o *output) gauge(desc *prometheus.Desc, x float64, labels ...string) {
	o.metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, x, labels...)
}

// histogram sends a distribution unless it is empty.
func (o *output) histogram(desc *prometheus.Desc, d *stats.Distribution, labels ...string) {
	cumulative := make(map[float64]uint64, len(d.Bounds))
	count := uint64(0)
	for i, n := range d.Counts {
		count += n
		if i < len(d.Bounds) {
			cumulative[d.Bounds[i]] = count
		}
	}
	if count > 0 {
		o.metrics <- prometheus.MustNewConstHistogram(desc, count, d.Sum, cumulative, labels...)
	}
}
