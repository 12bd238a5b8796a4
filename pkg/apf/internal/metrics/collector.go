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

// Collector exports a part of the state of an engine.
type Collector struct {
	descs   []*prometheus.Desc
	names   []string
	collect func(out *output)
}

var _ prometheus.Collector = (*Collector)(nil)

// add adds a family.
func (c *Collector) add(name, help string, constant prometheus.Labels, labels ...string) *prometheus.Desc {
	desc := prometheus.NewDesc(name, help, labels, constant)
	c.descs = append(c.descs, desc)
	c.names = append(c.names, name)
	return desc
}

// Names returns the names of all families of the collector, for Union.
func (c *Collector) Names() []string { return slices.Clone(c.names) }

// Describe implements prometheus.Collector.
func (c *Collector) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range c.descs {
		descs <- desc
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(metrics chan<- prometheus.Metric) { c.collect(&output{metrics}) }

// NewCollector returns a Collector of the reports of an engine.
func NewCollector(report func() engine.Report) *Collector {
	c := &Collector{}
	series, levels := addSeriesFamilies(c), addLevelFamilies(c)
	seatFairFrac := c.add(prefix+"seat_fair_frac",
		alpha+"Fair fraction of server's concurrency to allocate to each priority level that can use it", nil)
	c.collect = func(out *output) {
		report := report()
		for i := range report.Levels {
			levels.collect(&report.Levels[i], out)
		}
		for i := range report.Series {
			series.collect(&report.Series[i], out)
		}
		out.gauge(seatFairFrac, report.FairFraction)
	}
	return c
}

// families are the families with metrics of each T. Each function sends one family.
type families[T any] []func(of *T, out *output)

func (f families[T]) collect(of *T, out *output) {
	for _, send := range f {
		send(of, out)
	}
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

// member is a family with the labels of one series.
type member struct {
	out    *output
	desc   *prometheus.Desc
	labels []string
}

func (m member) gauge(x float64, more ...string) {
	m.out.gauge(m.desc, x, append(m.labels, more...)...)
}

func (m member) counter(n uint64, more ...string) {
	m.out.counter(m.desc, n, append(m.labels, more...)...)
}

// counterAbove0 sends a counter unless it is 0.
func (m member) counterAbove0(n uint64, more ...string) {
	if n > 0 {
		m.counter(n, more...)
	}
}

func (m member) histogram(d *stats.Distribution, more ...string) {
	m.out.histogram(m.desc, d, append(m.labels, more...)...)
}
