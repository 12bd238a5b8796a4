package renewal

import (
	"context"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/periodic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

// Interval separates two checks. After a failure or a wrong clock, certificates are
// right again after one interval.
const Interval = 10 * time.Minute

// Config is the configuration of a Controller. Clock is required.
type Config struct {
	// Renew renews what is near its end, and returns what was written. It is nil if the
	// server issues no certificates.
	Renew func() ([]embedded.Renewal, error)
	// Sources are the certificates that the server uses.
	Sources []Source
	Clock   utilclock.WithTicker
	Log     logr.Logger
}

// Controller renews certificates and shows when certificates end. It is the Collector of its
// metric.
type Controller struct {
	config Config
	expiry *prometheus.GaugeVec
	// mu is held while certificates are renewed or read.
	mu sync.Mutex
}

// New returns a controller that has not checked yet.
func New(config Config) *Controller {
	return &Controller{config: config, expiry: prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "flowcontrol_apiserver_certificate_expiration_timestamp_seconds",
		Help: "End of the validity of a certificate that this server uses, in seconds since 1970; of a chain, the earliest.",
	}, []string{"certificate", "file"})}
}

// Describe implements prometheus.Collector.
func (c *Controller) Describe(descriptions chan<- *prometheus.Desc) { c.expiry.Describe(descriptions) }

// Collect implements prometheus.Collector. It reads the sources, since what a server presents
// changes some time after its file did.
func (c *Controller) Collect(metrics chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observe(logr.Discard())
	c.expiry.Collect(metrics)
}

// Run checks at once and then at each interval until ctx ends.
func (c *Controller) Run(ctx context.Context) {
	c.Check()
	periodic.Run(ctx, c.config.Clock, Interval, c.Check)
}

// Check checks once.
func (c *Controller) Check() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.config.Renew != nil {
		renewals, err := c.config.Renew()
		for _, renewal := range renewals {
			c.config.Log.Info("Renewed certificate", "certificate", renewal.Certificate, "file", renewal.File,
				"reason", renewal.Reason, "expires", renewal.NotAfter.UTC().Format(time.RFC3339))
		}
		if err != nil {
			c.config.Log.Error(err, "Failed to renew certificates; this is retried", "after", Interval.String())
		}
	}
	c.observe(c.config.Log)
}

// observe sets the metric to what the sources say now. The caller holds mu.
func (c *Controller) observe(log logr.Logger) {
	for _, source := range c.config.Sources {
		file, end, err := source.Read()
		switch {
		case err != nil:
			log.Error(err, "Failed to read certificate; its metric keeps the last value", "certificate", source.Name)
		case !end.IsZero():
			c.expiry.WithLabelValues(source.Name, file).Set(float64(end.Unix()))
		}
	}
}
