// Package etcdcmd is the command etcd of flowcontrol-apiserver and its commands: they
// back up, restore and maintain the embedded etcd of a data directory.
package etcdcmd

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

const (
	// openTimeout bounds how long a store may take to open.
	openTimeout = time.Minute
	// closeTimeout bounds how long it may take to close.
	closeTimeout = 10 * time.Second
)

// options are what the flags of all commands say.
type options struct {
	out     io.Writer
	now     func() time.Time
	dataDir string
	prefix  string
}

// Defaults are the server's defaults of the same flags.
type Defaults struct {
	// DataDir is the default of --data-dir.
	DataDir string
	// Prefix is the default of --etcd-prefix.
	Prefix string
}

// New returns the command etcd, which writes to out. Now is the clock.
func New(out io.Writer, now func() time.Time, defaults Defaults) *cobra.Command {
	o := &options{out: out, now: now, dataDir: defaults.DataDir, prefix: defaults.Prefix}
	command := &cobra.Command{
		Use:   "etcd",
		Short: "Back up, restore and maintain the embedded etcd",
		Long: `Back up, restore and maintain the embedded etcd of a data directory.

The commands use the etcd of the server that runs on the directory, through the
socket in it. If no server runs, they lock the directory and start an etcd on it,
without a port, until they are done. Run them as the user of the server.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(newSnapshot(o), newRestore(o), newDefrag(o), newStatus(o), newReplaceMember(o), newRestoreMember(o))
	return command
}

// addDataDir adds the flag that names the directory of the server.
func (o *options) addDataDir(command *cobra.Command) {
	command.Flags().StringVar(&o.dataDir, "data-dir", o.dataDir, "Data directory of the server, as its --data-dir.")
}

// addPrefix adds the flag that names the prefix of the keys of the server.
func (o *options) addPrefix(command *cobra.Command) {
	command.Flags().StringVar(&o.prefix, "etcd-prefix", o.prefix, "Prefix of the keys of the server, as its --etcd-prefix.")
}

// withStore calls use with the open store of the data directory.
func (o *options) withStore(ctx context.Context, use func(context.Context, *embedded.Store) error) (err error) {
	opening, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	store, err := embedded.OpenStore(opening, o.dataDir, klog.Background().WithName("etcd"))
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		if closeErr := store.Close(closing); err == nil && closeErr != nil {
			err = fmt.Errorf("store of %s: %w", store.Path, closeErr)
		}
	}()
	return use(ctx, store)
}

// serverOf says which server has the store.
func serverOf(store *embedded.Store) string {
	if store.PID == 0 {
		return "not running"
	}
	return fmt.Sprintf("running (process %d)", store.PID)
}
