package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded/backup"
)

// memberTimeout bounds how long an etcd may take to answer.
const memberTimeout = 5 * time.Second

// newEtcdCommand returns the command "etcd". Its commands use the data directory at dataDir
// unless a flag names another.
func newEtcdCommand(out io.Writer, dataDir string) *cobra.Command {
	command := &cobra.Command{
		Use:   "etcd",
		Short: "Back up and restore the embedded etcd",
		Long: `Back up and restore the embedded etcd of a data directory. For all else use etcdctl and
etcdutl; docs/backup.md says how they reach it.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(newEtcdSnapshotCommand(out, dataDir), newEtcdRestoreCommand(out))
	return command
}

// etcdSnapshot is the command "etcd snapshot".
type etcdSnapshot struct {
	dataDir string
	servers []string
	tls     transport.TLSInfo
	// directory and retain are the directory of snapshots, and how many of them remain.
	directory string
	retain    int
}

func newEtcdSnapshotCommand(out io.Writer, dataDir string) *cobra.Command {
	s := &etcdSnapshot{}
	command := &cobra.Command{
		Use:   "snapshot {FILE | --etcd-snapshot-dir=DIR}",
		Short: "Save a snapshot of etcd to a new file",
		Long: `Save a snapshot of the etcd of a running server to a new file, and verify it. Clients may
write meanwhile. The file has the format of 'etcdctl snapshot save'.

With --etcd-snapshot-dir the file gets its name by time, and only the last
--etcd-snapshot-retain of them remain. With --etcd-servers the etcd is a cluster, as in
artifacts/components/own-etcd.

A snapshot has no certificates: copy the directory pki of the data directory, too, if
clients are to keep their kubeconfigs after a restore.`,
		Example: "  flowcontrol-apiserver etcd snapshot --data-dir=/var/lib/flowcontrol-apiserver /backup/flowcontrol.db",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			saved, err := s.run(command.Context(), args)
			if saved != nil {
				fmt.Fprintf(out, "Snapshot saved to %s: %d KiB, revision %d.\n", saved.Path, saved.SizeBytes>>10, saved.Revision)
			}
			return err
		},
	}
	flags := command.Flags()
	flags.StringVar(&s.dataDir, "data-dir", dataDir, "Data directory of the server, as its --data-dir.")
	flags.StringSliceVar(&s.servers, "etcd-servers", nil, "Members of a cluster, as URLs. Empty means the embedded etcd of --data-dir.")
	flags.StringVar(&s.tls.TrustedCAFile, "etcd-cafile", "", "CA bundle of the members.")
	flags.StringVar(&s.tls.CertFile, "etcd-certfile", "", "Client certificate for etcd.")
	flags.StringVar(&s.tls.KeyFile, "etcd-keyfile", "", "Key of --etcd-certfile.")
	flags.StringVar(&s.directory, "etcd-snapshot-dir", "", "Directory of the snapshots, for one etcd alone. FILE is not given then.")
	flags.IntVar(&s.retain, "etcd-snapshot-retain", 5, "Number of snapshots to keep in --etcd-snapshot-dir. Other files are never removed.")
	return command
}

func (s *etcdSnapshot) run(ctx context.Context, args []string) (*backup.Snapshot, error) {
	switch {
	case s.retain < 1:
		return nil, fmt.Errorf("--etcd-snapshot-retain=%d must be at least 1", s.retain)
	case (s.directory == "") == (len(args) == 0):
		return nil, errors.New("name one file, or the directory with --etcd-snapshot-dir; --help shows an example")
	}
	config, release, err := s.config(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = release() }()
	if s.directory == "" {
		return backup.Save(ctx, config, args[0])
	}
	return backup.Directory{Path: s.directory, Retain: s.retain, Config: config, Clock: clock.RealClock{}}.Take(ctx)
}

// config reaches the embedded etcd, or the first member that answers with a quorum: its snapshot has
// every write that was acknowledged before.
func (s *etcdSnapshot) config(ctx context.Context) (clientv3.Config, func() error, error) {
	config := clientv3.Config{DialTimeout: memberTimeout, Logger: zap.NewNop()}
	if len(s.servers) == 0 {
		endpoint, release, err := embedded.RunningEtcd(ctx, s.dataDir)
		config.Endpoints = []string{endpoint}
		return config, release, err
	}
	if !s.tls.Empty() || s.tls.TrustedCAFile != "" {
		tls, err := s.tls.ClientConfig()
		if err != nil {
			return config, nil, fmt.Errorf("--etcd-cafile, --etcd-certfile, --etcd-keyfile: %w", err)
		}
		config.TLS = tls
	}
	var errs []error
	for _, server := range s.servers {
		config.Endpoints = []string{server}
		err := answers(ctx, config)
		if err == nil {
			return config, func() error { return nil }, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", server, err))
	}
	return config, nil, fmt.Errorf("no member of etcd answers with a quorum: %w", utilerrors.NewAggregate(errs))
}

// answers reads the members with a quorum.
func answers(ctx context.Context, config clientv3.Config) error {
	client, err := clientv3.New(config)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(ctx, memberTimeout)
	defer cancel()
	_, err = client.MemberList(ctx)
	return err
}

func newEtcdRestoreCommand(out io.Writer) *cobra.Command {
	var dataDir string
	command := &cobra.Command{
		Use:   "restore FILE --data-dir=DIR",
		Short: "Make a data directory from a snapshot",
		Long: `Make the store of a data directory from a snapshot, which is verified first. DIR must have
no store: nothing is overwritten.

The store continues at a revision that is higher than any before, so that clients with
old resourceVersions list again and do not miss or overwrite changes. To keep
certificates and kubeconfigs valid, copy the old directory pki into DIR before the start.`,
		Example: `  flowcontrol-apiserver etcd restore /backup/flowcontrol.db --data-dir=/var/lib/new
  cp -r /var/lib/flowcontrol-apiserver/pki /var/lib/new/
  flowcontrol-apiserver --data-dir=/var/lib/new`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if dataDir == "" {
				return errors.New("--data-dir must name the directory to create")
			}
			revision, err := backup.Restore(args[0], dataDir, time.Now(), klog.Background().WithName("etcd"))
			if err == nil {
				fmt.Fprintf(out, "Restored to %s, which continues at revision %d.\n", dataDir, revision)
			}
			return err
		},
	}
	command.Flags().StringVar(&dataDir, "data-dir", "", "Data directory to make. Required.")
	return command
}
