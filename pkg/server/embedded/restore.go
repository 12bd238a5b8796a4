package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-logr/logr"
	"go.uber.org/zap"
)

// restoringName is where a store is made before it is complete.
const restoringName = "etcd.restoring"

// Member describes the member of every embedded etcd, as a restored store must have it.
type Member struct {
	Name, PeerURL, InitialCluster, ClusterToken string
}

// Restore lets restore make the directory of an etcd, and moves it to its place in the data directory
// when it is complete. A directory that has a store is rejected.
func Restore(dir *DataDirectory, log logr.Logger, restore func(path string, member Member, log *zap.Logger) error) error {
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
	config := etcdConfig("", &socket{}, zap.NewNop())
	member := Member{
		Name: config.Name, PeerURL: config.AdvertisePeerUrls[0].String(),
		InitialCluster: config.InitialCluster, ClusterToken: config.InitialClusterToken,
	}
	if err := restore(made, member, zap.New(&etcdLogCore{logger: log})); err != nil {
		return errors.Join(err, os.RemoveAll(made))
	}
	if err := os.Rename(made, dir.etcdPath()); err != nil {
		return err
	}
	return SyncDirectory(dir.path)
}
