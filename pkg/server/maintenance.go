package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	clientv3 "go.etcd.io/etcd/client/v3"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded/backup"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded/maintenance"
)

const (
	snapshotsName = "snapshots"
	// firstSnapshotDelay bounds how long the first snapshot waits for the built-in
	// objects.
	firstSnapshotDelay = time.Minute
)

var errNoSpace = errors.New("the embedded etcd rejects writes because its database reached the quota")

// applyMaintenance keeps the store of the embedded etcd, if there is one, small and
// backed up while the server runs.
func (s *Server) applyMaintenance(context.Context) error {
	if !s.config.EmbeddedEtcd {
		return nil
	}
	client, err := s.data.etcd.NewClient()
	if err != nil {
		return err
	}
	s.data.client, s.data.metrics = client, maintenance.NewMetrics(s.data.etcd.Space)
	s.generic.AddReadyzChecks(healthz.NamedCheck(spaceCheck, s.data.checkSpace))
	return s.generic.AddPostStartHook("embedded-etcd-maintenance", func(hook genericapiserver.PostStartHookContext) error {
		go s.spaceKeeper(client).Run(hook)
		if s.config.Store.SnapshotInterval > 0 {
			go s.takeSnapshots(hook, client)
		}
		return nil
	})
}

// checkSpace fails while writes are rejected.
func (d *localData) checkSpace(*http.Request) error {
	if d.etcd.Space().NoSpace {
		return errNoSpace
	}
	return nil
}

func (s *Server) spaceKeeper(client *clientv3.Client) *maintenance.SpaceKeeper {
	return &maintenance.SpaceKeeper{
		Client:     client,
		QuotaBytes: s.config.Store.QuotaBytes,
		Clock:      s.config.Clock,
		Log:        klog.Background().WithName("maintenance"),
		Metrics:    s.data.metrics,
	}
}

// takeSnapshots takes snapshots until ctx ends. The first of a new store waits for the
// built-in objects, since a store without objects is no backup.
func (s *Server) takeSnapshots(ctx context.Context, client *clientv3.Client) {
	scheduler := &maintenance.Scheduler{
		Client: client,
		Directory: backup.Directory{
			Path:   cmp.Or(s.config.Store.SnapshotDir, filepath.Join(s.data.dir.Path(), snapshotsName)),
			Prefix: s.config.Etcd.StorageConfig.Prefix,
		},
		Interval: s.config.Store.SnapshotInterval,
		Retain:   s.config.Store.SnapshotRetain,
		Clock:    s.config.Clock,
		Log:      klog.Background().WithName("snapshots"),
		Metrics:  s.data.metrics,
	}
	ready, cancel := context.WithTimeout(ctx, firstSnapshotDelay)
	_ = s.WaitReady(ready) // a store that is not ready is worth a snapshot, too
	cancel()
	scheduler.Run(ctx)
}

// storeCollectors returns the metrics of the embedded etcd, none without one.
func (s *Server) storeCollectors() []prometheus.Collector {
	if s.data == nil || s.data.metrics == nil {
		return nil
	}
	return s.data.metrics.Collectors()
}
