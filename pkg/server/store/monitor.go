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
		_, err := within(checkPatience, func() (struct{}, error) { return struct{}{}, check.Check(nil) }, func(struct{}) {})
		if err != nil {
			return 0
		}
		return 1
	})
}

// MonitorSize makes the metric of the size of an etcd keep no scrape waiting. The library dials
// etcd at each scrape, for 20 s if etcd does not respond: all metrics of this server would be missing
// when they are needed most.
func MonitorSize(config storagebackend.Config) {
	metrics.SetStorageMonitorGetter(func() ([]metrics.Monitor, error) {
		// The library's collector closes the monitor; one that comes late is closed here.
		monitor, err := within(monitorPatience, func() (metrics.Monitor, error) { return storagefactory.CreateMonitor(config) }, closeMonitor)
		return []metrics.Monitor{monitor}, err
	})
}

func closeMonitor(monitor metrics.Monitor) { _ = monitor.Close() } // nothing is written to it

// within returns what ask returns within patience. What comes later without an error is passed to late.
func within[T any](patience time.Duration, ask func() (T, error), late func(T)) (T, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer)
	go func() {
		value, err := ask()
		select {
		case answers <- answer{value, err}:
		case <-ctx.Done():
			if err == nil {
				late(value)
			}
		}
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, errors.New("etcd does not respond in time")
	}
}
