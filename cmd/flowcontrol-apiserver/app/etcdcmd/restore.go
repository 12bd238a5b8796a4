package etcdcmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded/backup"
)

func newRestore(o *options) *cobra.Command {
	var dataDir, certificatesFrom string
	command := &cobra.Command{
		Use:   "restore FILE --data-dir=NEW",
		Short: "Make a new data directory of a snapshot",
		Long: `Make a new data directory from a snapshot, for a server to start on.

The snapshot is verified first: its checksum, every page, and each object. The new
store is started once, and all keys are compared with the snapshot. On failure nothing
remains. The directory must not exist, or be empty; nothing is overwritten.

The store continues at a revision that is higher than any before, so that clients with
old resourceVersions list again and do not miss or overwrite changes.

With --certificates-from, the CA, certificates and keys of another data directory are
copied, and kubeconfigs of its server remain valid at the same address. Without it, the
server issues new ones at its start; clients then need the new admin.kubeconfig. The
server writes admin.kubeconfig to the new directory in both cases.`,
		Example: `  flowcontrol-apiserver etcd restore /backup/flowcontrol.db --data-dir=/var/lib/new --certificates-from=/var/lib/flowcontrol-apiserver
  flowcontrol-apiserver --data-dir=/var/lib/new`,
		Args: exactlyOneFile,
		RunE: func(command *cobra.Command, args []string) error {
			if dataDir == "" {
				return errors.New("--data-dir must name the directory to create")
			}
			return o.restore(command.Context(), backup.RestoreOptions{
				Snapshot: args[0], DataDir: dataDir, Prefix: o.prefix, CertificatesFrom: certificatesFrom,
				Now: o.now, Log: klog.Background().WithName("etcd"),
			})
		},
	}
	command.Flags().StringVar(&dataDir, "data-dir", "", "Data directory to create. Required.")
	command.Flags().StringVar(&certificatesFrom, "certificates-from", "", "Data directory whose CA, certificates and keys are copied. Empty means that the server issues new ones.")
	o.addPrefix(command)
	return command
}

func (o *options) restore(ctx context.Context, options backup.RestoreOptions) error {
	restored, err := backup.Restore(ctx, options)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.out, "Snapshot %s: %s, verified.\n", restored.Snapshot.Path, restored.Snapshot.Contents)
	o.warn(restored.Snapshot)
	fmt.Fprintf(o.out, "Restored to %s: every key is as in the snapshot; the store continues at revision %d.\n", options.DataDir, restored.Revision)
	if len(restored.Certificates) > 0 {
		fmt.Fprintf(o.out, "Certificates: from %s; its kubeconfigs remain valid at the same address.\n", options.CertificatesFrom)
	} else {
		fmt.Fprintln(o.out, "Certificates: the server issues new ones; clients need the new admin.kubeconfig.")
	}
	fmt.Fprintf(o.out, "Next: flowcontrol-apiserver --data-dir=%s, with the other flags of the server\n", options.DataDir)
	return nil
}
