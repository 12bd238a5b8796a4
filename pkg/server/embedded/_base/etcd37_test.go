//go:build etcd37

package embedded

import (
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"
)

// createLog makes a log without an entry. It moves into database_test.go when go.mod requires etcd 3.7.
func createLog(directory string) error {
	metadata, err := proto.Marshal(&etcdserverpb.Metadata{NodeID: proto.Uint64(1), ClusterID: proto.Uint64(2)})
	if err != nil {
		return err
	}
	log, err := wal.Create(zap.NewNop(), directory, metadata)
	if err != nil {
		return err
	}
	return log.Close()
}
