package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.uber.org/zap"
)

// restoringName is where a store is made before it is complete.
const restoringName = "etcd.restoring"

// Restore makes the store of a data directory from a snapshot, and skips revisions; see package backup.
// A directory that has a store is rejected.
func Restore(dir *DataDirectory, snapshotPath string, skipped uint64, log logr.Logger) error {
	there, err := exists(dir.etcdPath())
	if err != nil {
		return err
	}
	if there {
		return fmt.Errorf("data directory %s has a store; restore into another directory, nothing is overwritten", dir.Path())
	}
	made := filepath.Join(dir.path, restoringName)
	if err := os.RemoveAll(made); err != nil { // of an interrupted restore
		return err
	}
	member := etcdConfig("", &socket{}, zap.NewNop())
	err = snapshot.NewV3(zap.New(&etcdLogCore{logger: log})).Restore(snapshot.RestoreConfig{
		SnapshotPath:        snapshotPath,
		OutputDataDir:       made,
		Name:                member.Name,
		PeerURLs:            []string{member.AdvertisePeerUrls[0].String()},
		InitialCluster:      member.InitialCluster,
		InitialClusterToken: member.InitialClusterToken,
		RevisionBump:        skipped,
		MarkCompacted:       true,
	})
	if err != nil {
		return errors.Join(err, os.RemoveAll(made))
	}
	if err := os.Rename(made, dir.etcdPath()); err != nil {
		return err
	}
	return SyncDirectory(dir.path)
}
