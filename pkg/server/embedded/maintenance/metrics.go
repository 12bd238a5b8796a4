package maintenance

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

const (
	namespace = "flowcontrol_apiserver"
	subsystem = "embedded_etcd"

	resultLabel = "result"
	success     = "success"
	failure     = "failure"
)

// Metrics describe the store of an embedded etcd.
type Metrics struct {
	lastSnapshot, snapshotSize, lastDefragmentation prometheus.Gauge
	snapshots, defragmentations                     *prometheus.CounterVec
	space                                           []prometheus.Collector
}

// NewMetrics returns metrics that are not registered. Space returns the space of the
// database at a scrape.
func NewMetrics(space func() embedded.Space) *Metrics {
	m := &Metrics{
		lastSnapshot:        gauge("snapshot_last_success_timestamp_seconds", "Time of the last scheduled snapshot that is complete, in seconds since 1970; 0 if there is none."),
		snapshotSize:        gauge("snapshot_last_size_bytes", "Size of the last scheduled snapshot."),
		lastDefragmentation: gauge("defragmentation_last_duration_seconds", "How long the last defragmentation took, during which etcd did not answer."),
		snapshots:           counter("snapshots_total", "Scheduled snapshots by result: success or failure."),
		defragmentations:    counter("defragmentations_total", "Defragmentations by result: success or failure."),
	}
	for _, each := range []struct {
		name, help string
		value      func(embedded.Space) float64
	}{
		{"database_size_bytes", "Size of the database file.", func(s embedded.Space) float64 { return float64(s.SizeBytes) }},
		{"database_in_use_bytes", "Part of the database file that holds data; defragmentation frees the rest.", func(s embedded.Space) float64 { return float64(s.InUseBytes) }},
		{"quota_bytes", "Size of the database file that makes etcd reject writes (--etcd-quota-backend-bytes).", func(s embedded.Space) float64 { return float64(s.QuotaBytes) }},
		{"no_space", "1 while writes are rejected because the quota was reached, otherwise 0.", func(s embedded.Space) float64 {
			if s.NoSpace {
				return 1
			}
			return 0
		}},
	} {
		m.space = append(m.space, prometheus.NewGaugeFunc(
			prometheus.GaugeOpts{Namespace: namespace, Subsystem: subsystem, Name: each.name, Help: each.help},
			func() float64 { return each.value(space()) }))
	}
	for _, vector := range []*prometheus.CounterVec{m.snapshots, m.defragmentations} {
		for _, result := range []string{success, failure} {
			vector.WithLabelValues(result) // 0 from the beginning, so that the first failure is an increase
		}
	}
	return m
}

func gauge(name, help string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help})
}

func counter(name, help string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help}, []string{resultLabel})
}

// Collectors returns the metrics for a registry.
func (m *Metrics) Collectors() []prometheus.Collector {
	return append([]prometheus.Collector{m.lastSnapshot, m.snapshotSize, m.lastDefragmentation, m.snapshots, m.defragmentations}, m.space...)
}

// snapshotTaken notes a snapshot that is complete, of this process or an earlier one.
func (m *Metrics) snapshotTaken(at time.Time, size int64) {
	m.lastSnapshot.Set(float64(at.Unix()))
	m.snapshotSize.Set(float64(size))
}

func (m *Metrics) snapshotSucceeded(at time.Time, size int64) {
	m.snapshotTaken(at, size)
	m.snapshots.WithLabelValues(success).Inc()
}

func (m *Metrics) snapshotFailed() { m.snapshots.WithLabelValues(failure).Inc() }

func (m *Metrics) defragmented(took time.Duration, err error) {
	if err != nil {
		m.defragmentations.WithLabelValues(failure).Inc()
		return
	}
	m.lastDefragmentation.Set(took.Seconds())
	m.defragmentations.WithLabelValues(success).Inc()
}
