package backup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.uber.org/zap"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

const (
	// leastDistance is how many revisions a restored store skips at least.
	leastDistance = 1_000_000_000
	// checkTimeout bounds how long an etcd takes to read a restored store.
	checkTimeout = 10 * time.Minute
)

// RestoreOptions say what is restored, and to where.
type RestoreOptions struct {
	// Snapshot is the path of the snapshot.
	Snapshot string
	// DataDir is the data directory to create. It may exist if it is empty.
	DataDir string
	// Prefix begins the server's keys.
	Prefix string
	// CertificatesFrom is a data directory whose certificates and keys are copied;
	// empty: the server issues new ones at its next start.
	CertificatesFrom string
	// Now is the clock, and is read once.
	Now func() time.Time
	Log logr.Logger
}

// Restored is the result of a restore.
type Restored struct {
	// Snapshot is what was restored.
	Snapshot *Snapshot
	// Revision is the revision where the store continues.
	Revision int64
	// Certificates are the names of the files that were copied.
	Certificates []string
}

// Restore makes a data directory of a snapshot. On success a server can start on it,
// and the store was read and compared with the snapshot. On error nothing is left of
// it. Ctx ends the check.
func Restore(ctx context.Context, options RestoreOptions) (*Restored, error) {
	verified, err := Verify(options.Snapshot, options.Prefix)
	if err != nil {
		return nil, err
	}
	if err := verified.Check(); err != nil {
		return nil, fmt.Errorf("snapshot %s is not of a server of flow control: %w", options.Snapshot, err)
	}
	store, err := embedded.CreateStore(options.DataDir)
	if err != nil {
		return nil, err
	}
	restored := &Restored{Snapshot: verified, Revision: nextRevision(verified.Revision, options.Now())}
	if err := restored.make(ctx, store, options); err != nil {
		return nil, errors.Join(err, store.Abandon())
	}
	return restored, store.Complete()
}

func (r *Restored) make(ctx context.Context, store *embedded.NewStore, options RestoreOptions) (err error) {
	if options.CertificatesFrom != "" {
		if r.Certificates, err = store.CopyCertificates(options.CertificatesFrom); err != nil {
			return err
		}
	}
	if err := embedded.Guard(options.Log, func(log *zap.Logger) error { return r.restore(store.EtcdPath(), embedded.ThisMember(), log) }); err != nil {
		return fmt.Errorf("snapshot %s cannot be restored into %s: %w", r.Snapshot.Path, options.DataDir, err)
	}
	if err := r.check(ctx, store, options); err != nil {
		return fmt.Errorf("the store restored from %s did not pass its check: %w", r.Snapshot.Path, err)
	}
	return nil
}

// restore makes etcd's files. The library verifies the checksum again.
func (r *Restored) restore(etcdPath string, member embedded.Member, log *zap.Logger) error {
	return snapshot.NewV3(log).Restore(snapshot.RestoreConfig{
		SnapshotPath:        r.Snapshot.Path,
		OutputDataDir:       etcdPath,
		Name:                member.Name,
		PeerURLs:            strings.Split(member.PeerURL, ","),
		InitialCluster:      member.InitialCluster,
		InitialClusterToken: member.ClusterToken,
		RevisionBump:        uint64(r.Revision - r.Snapshot.Revision),
		MarkCompacted:       true,
	})
}

// check starts an etcd on the store, as a server does, and compares what it holds with
// the snapshot.
func (r *Restored) check(ctx context.Context, store *embedded.NewStore, options RestoreOptions) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	etcd, err := embedded.StartEtcd(ctx, store.Directory(), embedded.EtcdOptions{Log: options.Log, QuotaBytes: embedded.MaxQuotaBytes})
	if err != nil {
		return err
	}
	client, err := etcd.NewClient()
	if err != nil {
		return errors.Join(err, etcd.Close(ctx))
	}
	contents, err := Read(ctx, client, options.Prefix)
	if err = errors.Join(err, client.Close(), etcd.Close(ctx)); err != nil {
		return err
	}
	if contents.digest != r.Snapshot.digest {
		return fmt.Errorf("it holds %s, and the snapshot %s", contents, r.Snapshot.Contents)
	}
	if contents.Revision < r.Revision {
		return fmt.Errorf("its revision is %d, where at least %d is expected", contents.Revision, r.Revision)
	}
	return nil
}

// nextRevision returns the revision where a store continues after a snapshot of a revision; the
// package comment says why.
func nextRevision(snapshot int64, now time.Time) int64 {
	if moment := now.UnixMicro(); moment > snapshot {
		return moment
	}
	return snapshot + leastDistance
}
