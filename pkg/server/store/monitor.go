package store

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/storage/etcd3/metrics"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	storagefactory "k8s.io/apiserver/pkg/storage/storagebackend/factory"
)

// monitorPatience bounds how long a scrape waits for a connection to etcd. Prometheus gives
// up on a scrape after 10 s by default.
const monitorPatience = time.Second

// checkPatience bounds how long a scrape waits for the check of etcd, which takes up to 2 s by
// default, and 20 s while it has no connection yet.
const checkPatience = 3 * time.Second

// Availability returns the result of the library's check of etcd as a metric, so that alerts
// distinguish an unavailable etcd from an unavailable server.
func Availability(check healthz.HealthChecker) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "flowcontrol_apiserver_etcd_available",
		Help: "[ALPHA] Whether etcd answered a read that requires a quorum of its members, 1 or 0",
	}, func() float64 {
		if passes(check, checkPatience) {
			return 1
		}
		return 0
	})
}

// passes reports whether a check succeeds within patience.
func passes(check healthz.HealthChecker, patience time.Duration) bool {
	results := make(chan error, 1)
	go func() { results <- check.Check(nil) }()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-results:
		return err == nil
	case <-timer.C:
		return false
	}
}

// MonitorSize makes the metric of the size of an etcd keep no scrape waiting. The library dials
// etcd at each scrape, for 20 s if etcd does not respond: all metrics of this server would be missing
// when they are needed most.
func MonitorSize(config storagebackend.Config) {
	metrics.SetStorageMonitorGetter(func() ([]metrics.Monitor, error) {
		return connectWithin(monitorPatience, func() (metrics.Monitor, error) { return storagefactory.CreateMonitor(config) })
	})
}

// connectWithin returns what connect returns within patience. The collector of the library closes it;
// a monitor that comes late is closed here.
func connectWithin(patience time.Duration, connect func() (metrics.Monitor, error)) ([]metrics.Monitor, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	type result struct {
		monitor metrics.Monitor
		err     error
	}
	results := make(chan result)
	go func() {
		monitor, err := connect()
		select {
		case results <- result{monitor, err}:
		case <-ctx.Done():
			if err == nil {
				_ = monitor.Close() // nothing is written to it
			}
		}
	}()
	select {
	case r := <-results:
		return []metrics.Monitor{r.monitor}, r.err
	case <-ctx.Done():
		return nil, errors.New("etcd does not respond: its size is unknown")
	}
}
