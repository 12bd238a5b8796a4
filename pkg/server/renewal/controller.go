package renewal

import (
	"context"
	"errors"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

// Interval separates two checks. After a failure or a wrong clock, certificates are
// right again after one interval.
const Interval = 10 * time.Minute

// Issuer renews the certificates that a server issues.
type Issuer interface {
	// Renew renews what is near its end. It returns what was written and what failed. An
	// *embedded.CertificateError is about one certificate, another error about all.
	Renew(ctx context.Context) ([]embedded.Renewal, []error)
}

// Config is the configuration of a Controller. Clock is required.
type Config struct {
	// Issuer is nil if the server issues no certificates.
	Issuer Issuer
	// Issued are the names of the certificates and files that the Issuer writes.
	Issued []string
	// Sources are the certificates that the server uses.
	Sources []Source
	Clock   utilclock.WithTicker
	Log     logr.Logger
}

// Controller renews certificates and shows when certificates end.
type Controller struct {
	config  Config
	metrics *metrics
}

// New returns a controller that has not checked yet.
func New(config Config) *Controller {
	return &Controller{config: config, metrics: newMetrics(config)}
}

// Collector collects the metrics.
func (c *Controller) Collector() prometheus.Collector { return c.metrics }

// Run checks at once and then at each interval until ctx ends.
func (c *Controller) Run(ctx context.Context) {
	c.Check(ctx)
	clock.Periodically(ctx, c.config.Clock, Interval, func() { c.Check(ctx) })
}

// Check checks once.
func (c *Controller) Check(ctx context.Context) {
	if c.config.Issuer != nil {
		renewals, errs := c.config.Issuer.Renew(ctx)
		if ctx.Err() != nil {
			return // the server stops; nothing failed
		}
		c.record(renewals, errs)
	}
	for i, source := range c.config.Sources {
		certificates, err := source.Certificates()
		if err != nil {
			c.config.Log.Error(err, "Failed to read certificate; its metric keeps the last value", "certificate", source.Name())
			continue
		}
		c.metrics.setExpiry(i, certificates)
	}
}

// record logs and counts what was renewed and what failed.
func (c *Controller) record(renewals []embedded.Renewal, errs []error) {
	for _, renewal := range renewals {
		c.config.Log.Info("Renewed certificate", "certificate", renewal.Certificate, "file", renewal.File,
			"reason", renewal.Reason, "expires", renewal.NotAfter.UTC().Format(time.RFC3339))
		c.metrics.countRenewal(renewal.Certificate, resultSuccess)
	}
	for _, err := range errs {
		names := c.config.Issued
		if failed, ok := errors.AsType[*embedded.CertificateError](err); ok {
			names = []string{failed.Certificate}
		}
		c.config.Log.Error(err, "Failed to renew certificates; this is retried", "certificates", names, "after", Interval.String())
		for _, name := range names {
			c.metrics.countRenewal(name, resultError)
		}
	}
}
