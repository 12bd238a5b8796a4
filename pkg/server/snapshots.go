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

// applySnapshots shows the space of the embedded etcd, if there is one, and takes snapshots of it
// while the server runs.
func (s *Server) applySnapshots(context.Context) error {
	if !s.config.EmbeddedEtcd {
		return nil
	}
	snapshots := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: etcdMetrics + "snapshots_total", Help: "Scheduled snapshots by result: success or failure.",
	}, []string{"result"})
	success, failure := snapshots.WithLabelValues("success"), snapshots.WithLabelValues("failure")
	for _, collector := range append(spaceCollectors(s.data.etcd.Space), snapshots) {
		if err := s.metrics.Register(collector); err != nil {
			return err
		}
	}
	if s.config.Store.SnapshotInterval == 0 {
		return nil
	}
	return s.generic.AddPostStartHook("embedded-etcd-snapshots", func(hook genericapiserver.PostStartHookContext) error {
		go s.takeSnapshots(hook, func(err error) {
			if err != nil {
				failure.Inc()
				return
			}
			success.Inc()
		})
		return nil
	})
}

// takeSnapshots takes snapshots until ctx ends. The first of a new store waits for the
// built-in objects, since a store without objects is no backup.
func (s *Server) takeSnapshots(ctx context.Context, taken func(error)) {
	ready, cancel := context.WithTimeout(ctx, firstSnapshotDelay)
	_ = s.WaitReady(ready) // a store that is not ready is worth a snapshot, too
	cancel()
	backup.Directory{
		Path:   cmp.Or(s.config.Store.SnapshotDir, filepath.Join(s.data.dir.Path(), snapshotsName)),
		Retain: s.config.Store.SnapshotRetain,
		Config: clientv3.Config{Endpoints: []string{s.data.etcd.Endpoint()}, Logger: zap.NewNop()},
		Clock:  s.config.Clock,
	}.Schedule(ctx, s.config.Store.SnapshotInterval, klog.Background().WithName("snapshots"), taken)
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
