package server

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

const (
	// leastSnapshotInterval keeps snapshots from taking all the time of etcd.
	leastSnapshotInterval = time.Second
	defaultSnapshotRetain = 5
)

// EmbeddedEtcdOptions configure the embedded etcd.
type EmbeddedEtcdOptions struct {
	// QuotaBytes is the size of the database that makes etcd reject writes.
	QuotaBytes int64
	// SnapshotInterval separates scheduled snapshots; 0 means none.
	SnapshotInterval time.Duration
	// SnapshotRetain is how many of them remain.
	SnapshotRetain int
	// SnapshotDir is where they are; empty means the directory snapshots in the data
	// directory.
	SnapshotDir string
}

// NewEmbeddedEtcdOptions returns the defaults, which take no snapshots.
func NewEmbeddedEtcdOptions() *EmbeddedEtcdOptions {
	return &EmbeddedEtcdOptions{QuotaBytes: embedded.DefaultQuotaBytes, SnapshotRetain: defaultSnapshotRetain}
}

// AddFlags adds the flags.
func (o *EmbeddedEtcdOptions) AddFlags(flags *pflag.FlagSet) {
	flags.Int64Var(&o.QuotaBytes, "etcd-quota-backend-bytes", o.QuotaBytes,
		"Size of the database of the embedded etcd, in bytes, that makes it reject writes until there is room again. Reads and deletions still work.")
	flags.DurationVar(&o.SnapshotInterval, "etcd-snapshot-interval", o.SnapshotInterval,
		"Time between two snapshots of the embedded etcd. 0 means that none are taken. A snapshot is verified before old ones are removed.")
	flags.IntVar(&o.SnapshotRetain, "etcd-snapshot-retain", o.SnapshotRetain,
		"Number of snapshots of --etcd-snapshot-interval to keep. Other files in the directory are never removed.")
	flags.StringVar(&o.SnapshotDir, "etcd-snapshot-dir", o.SnapshotDir,
		"Directory of the snapshots of --etcd-snapshot-interval, for one server alone, preferably on another disk. Empty means the directory snapshots in --data-dir.")
}

// validate returns what is wrong with the options of a server, which may use an etcd
// of its own or another.
func (o *EmbeddedEtcdOptions) validate(embeddedEtcd bool) []error {
	if !embeddedEtcd {
		return o.validateUnused()
	}
	var errs []error
	if o.QuotaBytes < embedded.MinQuotaBytes || o.QuotaBytes > embedded.MaxQuotaBytes {
		errs = append(errs, fmt.Errorf("--etcd-quota-backend-bytes=%d must be from %d to %d", o.QuotaBytes, embedded.MinQuotaBytes, embedded.MaxQuotaBytes))
	}
	if o.SnapshotInterval != 0 && o.SnapshotInterval < leastSnapshotInterval {
		errs = append(errs, fmt.Errorf("--etcd-snapshot-interval=%v must be 0, for none, or at least %v", o.SnapshotInterval, leastSnapshotInterval))
	}
	if o.SnapshotRetain < 1 {
		errs = append(errs, fmt.Errorf("--etcd-snapshot-retain=%d must be at least 1", o.SnapshotRetain))
	}
	if o.SnapshotDir != "" && o.SnapshotInterval == 0 {
		errs = append(errs, errors.New("--etcd-snapshot-dir requires --etcd-snapshot-interval: set it to the time between two snapshots"))
	}
	return errs
}

func (o *EmbeddedEtcdOptions) validateUnused() []error {
	var errs []error
	for flag, given := range map[string]bool{
		"--etcd-quota-backend-bytes": o.QuotaBytes != embedded.DefaultQuotaBytes,
		"--etcd-snapshot-interval":   o.SnapshotInterval != 0,
		"--etcd-snapshot-retain":     o.SnapshotRetain != defaultSnapshotRetain,
		"--etcd-snapshot-dir":        o.SnapshotDir != "",
	} {
		if given {
			errs = append(errs, fmt.Errorf("%s is for the embedded etcd: remove %s and configure the etcd of --etcd-servers, or remove --etcd-servers", flag, flag))
		}
	}
	return errs
}
