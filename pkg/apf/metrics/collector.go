package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// Source is what is shown.
type Source interface {
	Report() engine.Report
}

var _ Source = (*engine.Engine)(nil)

// Collector writes the reports of one source down as metrics. Create one with
// NewCollector and register it.
type Collector struct {
	source   Source
	families families

	series       seriesFamilies
	levels       levelFamilies
	seatFairFrac *prometheus.Desc
}

var _ prometheus.Collector = (*Collector)(nil)

// NewCollector returns a Collector of the source's reports.
func NewCollector(source Source) *Collector {
	c := &Collector{source: source}
	c.series = newSeriesFamilies(&c.families)
	c.levels = newLevelFamilies(&c.families)
	c.seatFairFrac = c.families.add(prefix+"seat_fair_frac",
		alpha+"Fair fraction of server's concurrency to allocate to each priority level that can use it", nil)
	return c
}

// Names returns the names of all families that the Collector may give, which
// are those to leave out of any other registry.
func (c *Collector) Names() []string { return slices.Clone(c.families.names) }

// Describe implements prometheus.Collector.
func (c *Collector) Describe(descs chan<- *prometheus.Desc) { c.families.describe(descs) }

// Collect implements prometheus.Collector.
func (c *Collector) Collect(metrics chan<- prometheus.Metric) {
	report := c.source.Report()
	out := &output{metrics: metrics}
	for i := range report.Levels {
		c.levels.collect(&report.Levels[i], out)
	}
	for i := range report.Series {
		c.series.collect(&report.Series[i], out)
	}
	out.gauge(c.seatFairFrac, report.FairFraction)
}

// output writes metrics. The names of levels and schemas come from the API,
// which admits no name that is not a label value.
type output struct {
	metrics chan<- prometheus.Metric
}

func (o *output) counter(desc *prometheus.Desc, n uint64, labels ...string) {
	o.metrics <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(n), labels...)
}

func (o *output) gauge(desc *prometheus.Desc, x float64, labels ...string) {
	o.metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, x, labels...)
}

// histogram writes a distribution unless it is empty.
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
