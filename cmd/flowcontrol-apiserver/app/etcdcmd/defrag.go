package etcdcmd

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded/maintenance"
)

func newDefrag(o *options) *cobra.Command {
	command := &cobra.Command{
		Use:   "defrag",
		Short: "Make the database smaller, and writable again after it reached its quota",
		Long: `Rewrite the database without the space that is free in it.

A server does this by itself when more than half of a large database is free. While
etcd is defragmented it answers nothing: about three seconds for each 100 MiB in use
on a busy machine.

If etcd rejects writes because the database reached its quota, the command first
removes the history of all keys (clients list again), and at the end lets etcd accept
writes again if the database is below nine tenths of the quota. If it is not, delete
objects, which is possible all the time, or restart the server with a larger
--etcd-quota-backend-bytes. A server does this by itself, too, once a minute.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return o.defrag(command.Context()) },
	}
	o.addDataDir(command)
	return command
}

func (o *options) defrag(ctx context.Context) error {
	return o.withStore(ctx, func(ctx context.Context, store *embedded.Store) error {
		quota, err := store.QuotaBytes(ctx)
		if err != nil {
			return err
		}
		result, err := maintenance.Reclaim(ctx, store.Client, quota)
		if err != nil {
			return err
		}
		fmt.Fprintf(o.out, "Defragmented: %s before, %s now.\n", humanize.IBytes(uint64(result.Before.SizeBytes)), humanize.IBytes(uint64(result.After.SizeBytes)))
		switch {
		case result.Disarmed:
			fmt.Fprintln(o.out, "History removed. etcd accepts writes again.")
		case result.After.NoSpace && quota == 0:
			fmt.Fprintln(o.out, "History removed. The server accepts writes again after its start, if the database is below its quota then.")
		case result.After.NoSpace:
			return fmt.Errorf("etcd still rejects writes: the data need %s of a quota of %s; delete objects that nobody needs, or restart the server with a larger --etcd-quota-backend-bytes",
				humanize.IBytes(uint64(result.After.SizeBytes)), humanize.IBytes(uint64(quota)))
		}
		return nil
	})
}
