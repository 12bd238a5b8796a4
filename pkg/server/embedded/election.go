package embedded

import (
	"context"
	"time"

	"go.etcd.io/etcd/raft/v3/raftpb"
	"go.etcd.io/etcd/server/v3/etcdserver"
)

// electionInterval is how often a starting etcd is asked to elect itself.
const electionInterval = 2 * time.Millisecond

// callElection has the only member elect itself now. Left alone it would wait
// for an election timeout, one to two seconds by etcd's defaults, in case a
// leader turns up; shorter ticks would shorten that, and wake an idle process a
// hundred times a second for good. The message is the one by which a leader
// passes its office on; a member that leads, or cannot yet, ignores it.
func callElection(ctx context.Context, server *etcdserver.EtcdServer) error {
	self := server.ID()
	if server.Leader() == self || server.Cluster().Member(self) == nil {
		return nil
	}
	return server.Process(ctx, raftpb.Message{Type: raftpb.MsgTimeoutNow, From: uint64(self), To: uint64(self)})
}
