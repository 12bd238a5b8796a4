//go:build !etcd36

package store

import (
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/raft/v3"
)

// Errors that have other names in etcd 3.6. This file can go when go.mod requires it.
var (
	errProposalDropped = raft.ErrProposalDropped
	errIsLearner       = rpctypes.ErrGPRCNotSupportedForLearner
)
