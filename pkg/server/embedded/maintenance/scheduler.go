package maintenance

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	clientv3 "go.etcd.io/etcd/client/v3"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded/backup"
)

// retryInterval is the time after a failure, if the interval is not shorter.
const retryInterval = 5 * time.Minute

// Scheduler takes snapshots. All fields are required.
type Scheduler struct {
	Client *clientv3.Client
	// Directory is where they are.
	Directory backup.Directory
	// Interval separates two snapshots.
	Interval time.Duration
	// Retain is how many remain, at least 1.
	Retain  int
	Clock   utilclock.WithTicker
	Log     logr.Logger
	Metrics *Metrics
}

// Run takes snapshots until ctx ends. The first is due at once if there is none yet.
func (s *Scheduler) Run(ctx context.Context) {
	if err := s.Directory.RemovePartial(); err != nil {
		s.Log.Error(err, "Failed to remove what an interrupted snapshot left", "directory", s.Directory.Path)
	}
	pause := s.untilFirst()
	for pause <= 0 || clock.Wait(ctx, s.Clock, pause) {
		pause = s.Interval
		if err := s.take(ctx); err != nil {
			if ctx.Err() != nil {
				return
			}
			s.Metrics.snapshotFailed()
			s.Log.Error(err, "Failed to take a snapshot", "directory", s.Directory.Path)
			pause = min(s.Interval, retryInterval)
		}
	}
}

// untilFirst returns the time until the first snapshot.
func (s *Scheduler) untilFirst() time.Duration {
	files, err := s.Directory.Files()
	if err != nil || len(files) == 0 {
		return 0 // taking one reports the error
	}
	last := files[len(files)-1]
	s.Metrics.snapshotTaken(last.Time, last.Size)
	return untilNext(s.Clock.Now(), last.Time, s.Interval)
}

// untilNext returns the time until a snapshot is due, 0 for now. One of the future was
// taken by another clock and says nothing.
func untilNext(now, last time.Time, interval time.Duration) time.Duration {
	if last.After(now) {
		return 0
	}
	return max(0, last.Add(interval).Sub(now))
}

// take takes a snapshot and removes old ones.
func (s *Scheduler) take(ctx context.Context) error {
	begin := s.Clock.Now()
	snapshot, err := s.Directory.Take(ctx, s.Client, begin)
	if err != nil {
		return err
	}
	if err := snapshot.Check(); err != nil {
		return fmt.Errorf("snapshot %s is of no use, and old ones are kept: %w", snapshot.Path, err)
	}
	s.Metrics.snapshotSucceeded(begin, snapshot.Size)
	removed, err := s.Directory.Prune(s.Retain, snapshot.Path)
	s.Log.Info("Took a snapshot", "path", snapshot.Path, "sizeBytes", snapshot.Size, "revision", snapshot.Revision,
		"unreadable", snapshot.Unreadable, "removed", removed)
	return err
}
