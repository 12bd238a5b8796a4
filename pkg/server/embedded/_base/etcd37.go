//go:build etcd37

package embedded

import (
	"expvar"
	"fmt"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"
)

// This file is for etcd 3.7, on which k8s.io 0.37 is built. It moves into inspection.go and
// etcd.go when go.mod requires etcd 3.7.

// notifyProgress sets how often watches without events receive a bookmark.
func notifyProgress(config *embed.Config, interval time.Duration) {
	config.WatchProgressNotifyInterval = interval
}

// timeoutNow is the message that makes the only member elect itself.
func timeoutNow(self uint64) *raftpb.Message {
	return &raftpb.Message{Type: raftpb.MsgTimeoutNow.Enum(), From: &self, To: &self}
}

// hasAppliedLog reports whether a start has applied what was in the log. Since 3.6 etcd cuts the
// log off in memory meanwhile, and a member that elects itself then reads the log again, and
// panics. Etcd shows where it is among the variables of the process.
func hasAppliedLog() bool {
	variable, _ := expvar.Get("raft.status").(expvar.Func)
	if variable == nil {
		return true
	}
	status, known := variable().(raft.Status)
	return !known || status.Applied >= status.GetCommit()
}

func memberID(server *etcdserver.EtcdServer) types.ID { return server.MemberID() }

// readLog returns the requests in a log: they write, or describe a member.
func readLog(directory string) (requests [][]byte, err error) {
	log, err := wal.OpenForRead(zap.NewNop(), directory, &walpb.Snapshot{})
	if err != nil {
		return nil, fmt.Errorf("log in %s cannot be opened: %w", directory, err)
	}
	_, _, entries, err := log.ReadAll()
	_ = log.Close() // fails without a directory, which OpenForRead does not open
	if err != nil {
		return nil, fmt.Errorf("log in %s cannot be read: %w", directory, err)
	}
	for _, entry := range entries {
		if entry.GetType() == raftpb.EntryNormal {
			requests = append(requests, entry.Data)
		}
	}
	return requests, nil
}

// Unmarshal decodes a message of etcd.
func Unmarshal(data []byte, message proto.Message) error { return proto.Unmarshal(data, message) }
