//go:build !etcd36

package embedded

import (
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/wal"
	"go.uber.org/zap"
)

// createLog makes a log without an entry. This file goes with etcd35.go.
func createLog(directory string) error {
	metadata, err := (&etcdserverpb.Metadata{NodeID: 1, ClusterID: 2}).Marshal()
	if err != nil {
		return err
	}
	log, err := wal.Create(zap.NewNop(), directory, metadata)
	if err != nil {
		return err
	}
	return log.Close()
}
