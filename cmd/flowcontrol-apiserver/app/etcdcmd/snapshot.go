package etcdcmd

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded/backup"
)

func newSnapshot(o *options) *cobra.Command {
	command := &cobra.Command{
		Use:   "snapshot FILE",
		Short: "Save a snapshot of the store to a new file",
		Long: `Save a snapshot of the store to a new file, and verify it.

The server may run or not; clients may write meanwhile. The snapshot has every write
that was acknowledged before the command started. FILE must not exist. It has the
format of 'etcdctl snapshot save'.

A snapshot has no certificates: copy the directory pki of the data directory, too, if
clients are to keep their kubeconfigs after a restore. Keep copies on another machine.`,
		Example: "  flowcontrol-apiserver etcd snapshot --data-dir=/var/lib/flowcontrol-apiserver /backup/flowcontrol.db",
		Args:    exactlyOneFile,
		RunE:    func(command *cobra.Command, args []string) error { return o.snapshot(command.Context(), args[0]) },
	}
	o.addDataDir(command)
	o.addPrefix(command)
	return command
}

func (o *options) snapshot(ctx context.Context, path string) error {
	return o.withStore(ctx, func(ctx context.Context, store *embedded.Store) error {
		saved, err := backup.Save(ctx, store.Client, path, o.prefix)
		if err != nil {
			return err
		}
		fmt.Fprintf(o.out, "Snapshot saved to %s: %s, %s.\n", saved.Path, humanize.IBytes(uint64(saved.Size)), saved.Contents)
		o.warn(saved)
		return nil
	})
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
