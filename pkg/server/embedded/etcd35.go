//go:build !etcd36

package embedded

import (
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// setRenamed sets how often watches without events receive a bookmark, and how many MiB a
// defragmentation must free before a start does it. In etcd 3.6 the fields
// have other names. This file can go when go.mod requires etcd 3.6.
func setRenamed(config *embed.Config, progress time.Duration, defragment uint) {
	config.ExperimentalWatchProgressNotifyInterval = progress
	config.ExperimentalBootstrapDefragThresholdMegabytes = defragment
}
