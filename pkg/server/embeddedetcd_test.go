package server

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOptionsOfTheEmbeddedEtcdAreValidated(t *testing.T) {
	for name, test := range map[string]struct {
		change   func(*EmbeddedEtcdOptions)
		external bool
		says     string
	}{
		"the defaults":                          {change: func(*EmbeddedEtcdOptions) {}},
		"the defaults with another etcd":        {change: func(*EmbeddedEtcdOptions) {}, external: true},
		"a snapshot each hour":                  {change: func(o *EmbeddedEtcdOptions) { o.SnapshotInterval, o.SnapshotDir = time.Hour, "d" }},
		"a quota that holds nothing":            {change: func(o *EmbeddedEtcdOptions) { o.QuotaBytes = 1 << 20 }, says: "--etcd-quota-backend-bytes=1048576 must be from 4194304 to 8589934592"},
		"snapshots all the time":                {change: func(o *EmbeddedEtcdOptions) { o.SnapshotInterval = time.Millisecond }, says: "--etcd-snapshot-interval=1ms must be 0, for none, or at least 1s"},
		"no snapshot that remains":              {change: func(o *EmbeddedEtcdOptions) { o.SnapshotRetain = 0 }, says: "--etcd-snapshot-retain=0 must be at least 1"},
		"a directory of no snapshots":           {change: func(o *EmbeddedEtcdOptions) { o.SnapshotDir = "d" }, says: "--etcd-snapshot-dir requires --etcd-snapshot-interval"},
		"snapshots of another etcd":             {change: func(o *EmbeddedEtcdOptions) { o.SnapshotInterval = time.Hour }, external: true, says: "--etcd-snapshot-interval is for the embedded etcd"},
		"the quota of another etcd":             {change: func(o *EmbeddedEtcdOptions) { o.QuotaBytes = 1 << 30 }, external: true, says: "--etcd-quota-backend-bytes is for the embedded etcd"},
		"the directory of another etcd's files": {change: func(o *EmbeddedEtcdOptions) { o.SnapshotDir = "d" }, external: true, says: "--etcd-snapshot-dir is for the embedded etcd"},
	} {
		t.Run(name, func(t *testing.T) {
			options := NewEmbeddedEtcdOptions()
			test.change(options)
			err := errors.Join(options.validate(!test.external)...)
			if test.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.says)
		})
	}
}
