package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-logr/logr"
	clientv3 "go.etcd.io/etcd/client/v3"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/periodic"
)

const (
	// nameFormat is the name of a snapshot by its time, so that names sort by time.
	nameFormat  = "flowcontrol-apiserver-20060102T150405Z.db"
	namePattern = "flowcontrol-apiserver-*.db"
	// retryInterval is the time after a failure, if the interval is not shorter.
	retryInterval = 5 * time.Minute
)

// Directory is a directory of snapshots of one etcd. Files of other names are never touched. All
// fields are required.
type Directory struct {
	Path string
	// Retain is how many snapshots remain, at least 1.
	Retain int
	// Config reaches the etcd.
	Config clientv3.Config
	Clock  utilclock.WithTicker
}

// Take takes a snapshot, and then removes the oldest, so that Retain remain. Before, it removes what
// killed processes left of snapshots: each such file has a name of its own, so they would fill the disk.
func (d Directory) Take(ctx context.Context) (*Snapshot, error) {
	if err := os.MkdirAll(d.Path, 0o700); err != nil {
		return nil, fmt.Errorf("directory of snapshots: %w", err)
	}
	if err := d.removeAbandonedParts(); err != nil {
		return nil, fmt.Errorf("directory of snapshots: %w", err)
	}
	saved, err := Save(ctx, d.Config, filepath.Join(d.Path, d.Clock.Now().UTC().Format(nameFormat)))
	if err != nil {
		return nil, err
	}
	old, err := d.files()
	if err != nil {
		return saved, err
	}
	old = slices.DeleteFunc(old, func(path string) bool { return path == saved.Path }) // the clock may be behind
	for _, path := range old[:max(0, len(old)-(d.Retain-1))] {
		err = errors.Join(err, os.Remove(path))
	}
	return saved, err
}

func (d Directory) removeAbandonedParts() error {
	parts, err := d.matching(namePattern + partSuffix)
	for _, path := range parts {
		err = errors.Join(err, removeAbandonedPart(path))
	}
	return err
}

// files returns the paths of the snapshots, the oldest first. Snapshots of the future come before all
// others: a clock that was ahead took them, and they would be the newest until their time comes.
func (d Directory) files() ([]string, error) {
	paths, err := d.matching(namePattern)
	now := filepath.Join(d.Path, d.Clock.Now().UTC().Format(nameFormat))
	past, _ := slices.BinarySearch(paths, now+"\x00")
	return slices.Concat(paths[past:], paths[:past]), err
}

// matching returns the paths of the files with names of a pattern, sorted.
func (d Directory) matching(pattern string) (paths []string, err error) {
	entries, err := os.ReadDir(d.Path)
	for _, entry := range entries {
		if match, _ := filepath.Match(pattern, entry.Name()); match {
			paths = append(paths, filepath.Join(d.Path, entry.Name()))
		}
	}
	return paths, err
}

// Schedule takes a snapshot at each interval until ctx ends, and calls taken with its error. The
// first is due an interval after the last in the directory: restarts neither delay nor multiply them.
func (d Directory) Schedule(ctx context.Context, interval time.Duration, log logr.Logger, taken func(error)) {
	pause := d.untilNext(interval)
	for pause <= 0 || periodic.Wait(ctx, d.Clock, pause) {
		snapshot, err := d.Take(ctx)
		if ctx.Err() != nil {
			return
		}
		taken(err)
		if pause = interval; err != nil {
			log.Error(err, "Failed to take a snapshot", "directory", d.Path)
			pause = min(interval, retryInterval)
			continue
		}
		log.Info("Took a snapshot", "path", snapshot.Path, "sizeBytes", snapshot.SizeBytes, "revision", snapshot.Revision)
	}
}

// untilNext returns the time until a snapshot is due, 0 for now. Snapshots of the future say nothing.
func (d Directory) untilNext(interval time.Duration) time.Duration {
	files, _ := d.files() // Take reports the error
	if len(files) == 0 {
		return 0
	}
	last, err := time.Parse(nameFormat, filepath.Base(files[len(files)-1]))
	if since := d.Clock.Since(last); err == nil && since >= 0 {
		return max(0, interval-since)
	}
	return 0
}
