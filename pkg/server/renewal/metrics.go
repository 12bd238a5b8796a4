package renewal

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	namespace = "flowcontrol_apiserver"

	resultSuccess = "success"
	resultError   = "error"
)

// metrics collects the expiry of certificates and counts renewals.
type metrics struct {
	expiry   *prometheus.Desc
	renewals *prometheus.CounterVec

	sources []Source

	mu sync.Mutex // guards what follows
	// certificates are what each source had last.
	certificates [][]Certificate
}

var _ prometheus.Collector = (*metrics)(nil)

// newMetrics returns metrics without expiry, whose counters of renewals are 0.
func newMetrics(config Config) *metrics {
	m := &metrics{
		sources:      config.Sources,
		certificates: make([][]Certificate, len(config.Sources)),
		expiry: prometheus.NewDesc(namespace+"_certificate_expiration_timestamp_seconds",
			"End of the validity of a certificate that this server uses, in seconds since 1970; of a chain, the earliest.",
			[]string{"certificate", "file"}, nil),
		renewals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace,
			Name:      "certificate_renewals_total",
			Help:      "Certificates that this server renewed while it ran (result success), and failed attempts (result error).",
		}, []string{"certificate", "result"}),
	}
	for _, name := range config.Issued {
		m.renewals.WithLabelValues(name, resultSuccess)
		m.renewals.WithLabelValues(name, resultError)
	}
	return m
}

func (m *metrics) countRenewal(certificate, result string) {
	m.renewals.WithLabelValues(certificate, result).Inc()
}

// setExpiry replaces the certificates of the source with this index.
func (m *metrics) setExpiry(source int, certificates []Certificate) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.certificates[source] = certificates
}

// labels are the labels of the expiry.
type labels struct{ certificate, file string }

// ends returns the expiry by labels: the earliest if two sources have the same.
func (m *metrics) ends() map[labels]time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	ends := map[labels]time.Time{}
	for i, certificates := range m.certificates {
		for _, c := range certificates {
			key := labels{m.sources[i].Name(), c.File}
			if end, known := ends[key]; !known || c.NotAfter.Before(end) {
				ends[key] = c.NotAfter
			}
		}
	}
	return ends
}

// Describe implements prometheus.Collector.
func (m *metrics) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- m.expiry
	m.renewals.Describe(descriptions)
}

// Collect implements prometheus.Collector.
func (m *metrics) Collect(values chan<- prometheus.Metric) {
	m.renewals.Collect(values)
	for key, end := range m.ends() {
		values <- prometheus.MustNewConstMetric(m.expiry, prometheus.GaugeValue, float64(end.Unix()), key.certificate, key.file)
	}
}
