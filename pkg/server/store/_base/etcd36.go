//go:build etcd36

package store

import (
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/raft/v3"
)

// Errors that have other names since etcd 3.6. They move into errors.go when go.mod requires it.
var (
	errProposalDropped = raft.ErrProposalDropped
	errIsLearner       = rpctypes.ErrGRPCNotSupportedForLearner
)
