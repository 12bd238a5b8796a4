package etcdcmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded/backup"
)

// snapshotFlags are the flags of the command snapshot.
type snapshotFlags struct {
	members
	// directory and retain are the directory of scheduled snapshots, and how many of
	// them remain.
	directory string
	retain    int
}

const (
	dataDirFlag     = "data-dir"
	snapshotDirFlag = "etcd-snapshot-dir"
	retainFlag      = "etcd-snapshot-retain"
	// defaultRetain is the server's, too.
	defaultRetain = 5
)

func newSnapshot(o *options) *cobra.Command {
	f := &snapshotFlags{}
	command := &cobra.Command{
		Use:   "snapshot {FILE | --" + snapshotDirFlag + "=DIR}",
		Short: "Save a snapshot of the store to a new file",
		Long: `Save a snapshot of the store to a new file, and verify it.

The server may run or not; clients may write meanwhile. The snapshot has every write
that was acknowledged before the command started. FILE must not exist. It has the
format of 'etcdctl snapshot save'.

With --` + snapshotDirFlag + ` the file gets its name by time and revision, and only the last
--` + retainFlag + ` snapshots with these names remain. With --etcd-servers the store is an etcd
cluster, not the embedded one. artifacts/components/own-etcd does both in a CronJob.

A snapshot has no certificates: copy the directory pki of the data directory, too, if
clients are to keep their kubeconfigs after a restore. Keep copies on another machine.`,
		Example: "  flowcontrol-apiserver etcd snapshot --data-dir=/var/lib/flowcontrol-apiserver /backup/flowcontrol.db",
		Args: func(command *cobra.Command, args []string) error {
			if err := f.validate(command); err != nil {
				return err
			}
			if f.directory != "" && len(args) == 0 {
				return nil
			}
			return exactlyOneFile(command, args)
		},
		RunE: func(command *cobra.Command, args []string) error {
			return o.withStoreOf(command.Context(), &f.members, func(ctx context.Context, client *clientv3.Client) error {
				if f.directory != "" {
					return o.snapshotInto(ctx, client, f)
				}
				return o.snapshot(ctx, client, args[0])
			})
		},
	}
	o.addDataDir(command)
	o.addPrefix(command)
	f.add(command, "Empty means the embedded etcd of --"+dataDirFlag+".")
	command.Flags().StringVar(&f.directory, snapshotDirFlag, "", "Directory of the snapshots, for one store alone. FILE is not given then.")
	command.Flags().IntVar(&f.retain, retainFlag, defaultRetain, "Number of snapshots to keep in --"+snapshotDirFlag+". Other files are never removed.")
	return command
}

// validate rejects flags that contradict each other.
func (f *snapshotFlags) validate(command *cobra.Command) error {
	changed := command.Flags().Changed
	switch {
	case len(f.servers) > 0 && changed(dataDirFlag):
		return errors.New("--etcd-servers and --" + dataDirFlag + " name two stores: give one of them")
	case f.directory != "" && command.Flags().NArg() > 0:
		return errors.New("FILE and --" + snapshotDirFlag + " name two places: give one of them")
	case f.directory == "" && changed(retainFlag):
		return errors.New("--" + retainFlag + " requires --" + snapshotDirFlag)
	case f.retain < 1:
		return fmt.Errorf("--%s=%d must be at least 1", retainFlag, f.retain)
	}
	return nil
}

// withStoreOf calls use with a client of the cluster, or of the data directory's store
// if no cluster is named. The member of the cluster has answered with a quorum, so it
// has every write that was acknowledged before.
func (o *options) withStoreOf(ctx context.Context, m *members, use func(context.Context, *clientv3.Client) error) error {
	if len(m.servers) == 0 {
		return o.withStore(ctx, func(ctx context.Context, store *embedded.Store) error { return use(ctx, store.Client) })
	}
	client, _, err := m.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return use(ctx, client)
}

func (o *options) snapshot(ctx context.Context, client *clientv3.Client, path string) error {
	saved, err := backup.Save(ctx, client, path, o.prefix)
	if err != nil {
		return err
	}
	o.report(saved)
	o.warn(saved)
	return nil
}

// snapshotInto adds a snapshot to a directory and removes the oldest, unless a server
// cannot be restored from the new one.
func (o *options) snapshotInto(ctx context.Context, client *clientv3.Client, f *snapshotFlags) error {
	directory := backup.Directory{Path: f.directory, Prefix: o.prefix}
	if err := directory.RemovePartial(); err != nil {
		return err
	}
	saved, err := directory.Take(ctx, client, o.now())
	if err != nil {
		return err
	}
	o.report(saved)
	if err := saved.Check(); err != nil {
		return fmt.Errorf("snapshot %s is of no use, and old ones are kept: %w", saved.Path, err)
	}
	o.warn(saved)
	removed, err := directory.Prune(f.retain, saved.Path)
	for _, path := range removed {
		fmt.Fprintf(o.out, "Removed %s.\n", filepath.Base(path))
	}
	return err
}

func (o *options) report(saved *backup.Snapshot) {
	fmt.Fprintf(o.out, "Snapshot saved to %s: %s, %s.\n", saved.Path, humanize.IBytes(uint64(saved.Size)), saved.Contents)
}

// warn says what is wrong with the objects in a snapshot.
func (o *options) warn(snapshot *backup.Snapshot) {
	for _, key := range snapshot.Unreadable {
		fmt.Fprintf(o.out, "Warning: an object cannot be read: %s\n", key)
	}
	if err := snapshot.Check(); err != nil {
		fmt.Fprintf(o.out, "Warning: a server cannot be restored from it: %v\n", err)
	}
}

// exactlyOneFile validates the arguments.
func exactlyOneFile(_ *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return fmt.Errorf("name one file: %d arguments are given; --help shows an example", len(args))
	}
	return nil
}
