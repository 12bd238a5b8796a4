//go:build !etcd36

package embedded

import (
	"fmt"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.etcd.io/etcd/raft/v3/raftpb"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/wal"
	"go.etcd.io/etcd/server/v3/wal/walpb"
	"go.uber.org/zap"
)

// This file is for etcd 3.5, on which k8s.io 0.33 is built. In 3.6 the log moved to
// storage/wal and raft to a module of its own. It can go when go.mod requires etcd 3.6.

// notifyProgress sets how often watches without events receive a bookmark.
func notifyProgress(config *embed.Config, interval time.Duration) {
	config.ExperimentalWatchProgressNotifyInterval = interval
}

// timeoutNow is the message that makes the only member elect itself.
func timeoutNow(self uint64) raftpb.Message {
	return raftpb.Message{Type: raftpb.MsgTimeoutNow, From: self, To: self}
}

// hasAppliedLog is for etcd 3.6 and later.
func hasAppliedLog() bool { return true }

func memberID(server *etcdserver.EtcdServer) types.ID { return server.ID() }

// readLog returns the requests in a log: they write, or describe a member.
func readLog(directory string) (requests [][]byte, err error) {
	log, err := wal.OpenForRead(zap.NewNop(), directory, walpb.Snapshot{})
	if err != nil {
		return nil, fmt.Errorf("log in %s cannot be opened: %w", directory, err)
	}
	_, _, entries, err := log.ReadAll()
	_ = log.Close() // fails without a directory, which OpenForRead does not open
	if err != nil {
		return nil, fmt.Errorf("log in %s cannot be read: %w", directory, err)
	}
	for _, entry := range entries {
		if entry.Type == raftpb.EntryNormal {
			requests = append(requests, entry.Data)
		}
	}
	return requests, nil
}

// Unmarshal decodes a message of etcd.
func Unmarshal(data []byte, message interface{ Unmarshal(data []byte) error }) error {
	return message.Unmarshal(data)
}
