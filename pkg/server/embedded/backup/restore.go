package backup

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

// leastDistance is how many revisions a restored store skips at least.
const leastDistance = 1_000_000_000

// Restore makes the store of a data directory, which it creates if necessary, from the snapshot at
// path. It returns the revision where the store continues. Now determines that revision.
func Restore(path, dataDir string, now time.Time, log logr.Logger) (revision int64, err error) {
	verified, err := Verify(path)
	if err != nil {
		return 0, err
	}
	dir, err := embedded.OpenDataDirectory(dataDir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	revision = nextRevision(verified.Revision, now)
	if err := embedded.Restore(dir, path, uint64(revision-verified.Revision), log); err != nil {
		return 0, fmt.Errorf("snapshot %s cannot be restored into %s: %w", path, dataDir, err)
	}
	return revision, nil
}

// nextRevision returns the revision where a store continues after a snapshot of a revision; the
// package comment says why.
func nextRevision(snapshot int64, now time.Time) int64 {
	if moment := now.UnixMicro(); moment > snapshot {
		return moment
	}
	return snapshot + leastDistance
}
