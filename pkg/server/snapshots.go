package server

import (
	"cmp"
	"context"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded/backup"
)

const (
	snapshotsName = "snapshots"
	// firstSnapshotDelay bounds how long the first snapshot waits for the built-in
	// objects.
	firstSnapshotDelay = time.Minute

	etcdMetrics = "flowcontrol_apiserver_embedded_etcd_"
)

// takeSnapshots makes snapshots of the embedded etcd, if there is one, be taken while the server
// runs, and returns the metrics of its space and of them.
func takeSnapshots(c CompletedConfig, generic *genericapiserver.Config, data dataDirectory, etcd *embedded.Etcd) ([]prometheus.Collector, error) {
	if etcd == nil {
		return nil, nil
	}
	taken := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: etcdMetrics + "snapshots_total", Help: "Scheduled snapshots by result: success or failure.",
	}, []string{"result"})
	success, failure := taken.WithLabelValues("success"), taken.WithLabelValues("failure")
	collectors := append(spaceCollectors(etcd.Space), taken)
	if c.Store.SnapshotInterval == 0 {
		return collectors, nil
	}
	directory := backup.Directory{
		Path:   cmp.Or(c.Store.SnapshotDir, filepath.Join(data.Path(), snapshotsName)),
		Retain: c.Store.SnapshotRetain,
		Config: clientv3.Config{Endpoints: []string{etcd.Endpoint()}, Logger: zap.NewNop()},
		Clock:  c.Clock,
	}
	take := func(ctx context.Context) {
		// The first of a new store waits for the built-in objects: a store without objects is no
		// backup. A store that is not ready is worth a snapshot, too.
		ready, cancel := context.WithTimeout(ctx, firstSnapshotDelay)
		_ = waitReady(ready, generic.LoopbackClientConfig)
		cancel()
		directory.Schedule(ctx, c.Store.SnapshotInterval, klog.Background().WithName("snapshots"), func(err error) {
			if err != nil {
				failure.Inc()
				return
			}
			success.Inc()
		})
	}
	return collectors, generic.AddPostStartHook("embedded-etcd-snapshots", func(hook genericapiserver.PostStartHookContext) error {
		go take(hook)
		return nil
	})
}

// spaceCollectors returns metrics of the space of the embedded etcd.
func spaceCollectors(space func() embedded.Space) (collectors []prometheus.Collector) {
	for _, each := range []struct {
		name, help string
		value      func(embedded.Space) float64
	}{
		{"database_size_bytes", "Size of the database file.", func(s embedded.Space) float64 { return float64(s.SizeBytes) }},
		{"quota_bytes", "Size of the database file that makes etcd reject writes (--etcd-quota-backend-bytes).", func(s embedded.Space) float64 { return float64(s.QuotaBytes) }},
		{"no_space", "1 while writes are rejected because the quota was reached, otherwise 0.", func(s embedded.Space) float64 {
			if s.NoSpace {
				return 1
			}
			return 0
		}},
	} {
		collectors = append(collectors, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: etcdMetrics + each.name, Help: each.help},
			func() float64 { return each.value(space()) }))
	}
	return collectors
}
