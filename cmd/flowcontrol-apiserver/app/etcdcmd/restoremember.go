package etcdcmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded/backup"
)

func newRestoreMember(o *options) *cobra.Command {
	var (
		directory string
		moment    int64
		options   backup.MemberOptions
	)
	command := &cobra.Command{
		Use:   "restore-member NAME [FILE]",
		Short: "Make the data of an etcd cluster's member from a snapshot",
		Long: `Make the data of a member of an etcd cluster, not of the embedded one, from a snapshot.

All members must be stopped. Restore each of them from the same snapshot with the same
--restored-at, and then start all. artifacts/restore-etcd.sh does this in a cluster.

FILE may be the name of a file in --` + snapshotDirFlag + `. Without FILE it is the newest snapshot in
that directory. The snapshot is verified first, and the new data are compared with it. A
directory that is at --` + dataDirFlag + ` is renamed to DIR.set-aside-N, never removed. On failure
nothing changes.

The store continues at a revision that is higher than any before, so that clients with
old resourceVersions list again and do not miss or overwrite changes.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(command *cobra.Command, args []string) error {
			options.Name, options.Prefix, options.Log = args[0], o.prefix, klog.Background().WithName("etcd")
			file := ""
			if len(args) > 1 {
				file = args[1]
			}
			options.Time = time.Unix(moment, 0)
			var err error
			if options.Snapshot, err = choose(directory, file); err != nil {
				return err
			}
			return o.restoreMember(command.Context(), options)
		},
	}
	flags := command.Flags()
	flags.StringVar(&options.DataDir, dataDirFlag, "", "Data directory of the member, as its --data-dir. Required.")
	flags.StringVar(&options.InitialCluster, "initial-cluster", "", "All members, as NAME=PEER-URL,..., as the --initial-cluster of the member. Required.")
	flags.StringVar(&options.ClusterToken, "initial-cluster-token", "etcd-cluster", "Token of the cluster, as the --initial-cluster-token of the member.")
	flags.Int64Var(&moment, "restored-at", 0, "Time of the restore, in seconds since 1970, the same for all members. Required.")
	flags.StringVar(&directory, snapshotDirFlag, "", "Directory of snapshots, as for the command snapshot.")
	o.addPrefix(command)
	return command
}

// choose returns the path of the snapshot: of a file, of a name in the directory, or of
// the newest in it.
func choose(directory, file string) (string, error) {
	if directory == "" {
		if file == "" {
			return "", errors.New("name FILE, or --" + snapshotDirFlag + " for the newest snapshot in it")
		}
		return file, nil
	}
	files, err := backup.Directory{Path: directory}.Files()
	if err != nil {
		return "", err
	}
	if len(files) == 0 {
		return "", fmt.Errorf("directory %s has no snapshots", directory)
	}
	if file == "" {
		return files[len(files)-1].Path, nil
	}
	var names []string
	for _, known := range files {
		if names = append(names, filepath.Base(known.Path)); names[len(names)-1] == file {
			return known.Path, nil
		}
	}
	return "", fmt.Errorf("directory %s has no snapshot %s: it has %s", directory, file, strings.Join(names, ", "))
}

func (o *options) restoreMember(ctx context.Context, options backup.MemberOptions) error {
	if options.DataDir == "" || options.InitialCluster == "" {
		return errors.New("--" + dataDirFlag + " and --initial-cluster must have the values of the member")
	}
	if options.Time.Unix() <= 0 {
		return errors.New("--restored-at must be the time of the restore, in seconds since 1970, the same for all members")
	}
	restored, err := backup.RestoreMember(ctx, options)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.out, "Snapshot %s: %s, verified.\n", restored.Snapshot.Path, restored.Snapshot.Contents)
	o.warn(restored.Snapshot)
	if restored.SetAside != "" {
		fmt.Fprintf(o.out, "The data that were there are now at %s.\n", restored.SetAside)
	}
	fmt.Fprintf(o.out, "Restored to %s: every key is as in the snapshot; the store continues at revision %d.\n", options.DataDir, restored.Revision)
	return nil
}
