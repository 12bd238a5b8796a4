package etcdcmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// memberTimeout bounds how long a member may take to answer.
const memberTimeout = 5 * time.Second

// members are the flags that a command needs to reach an etcd cluster.
type members struct {
	servers []string
	tls     transport.TLSInfo
}

// add adds the flags. Need says what happens without --etcd-servers.
func (m *members) add(command *cobra.Command, need string) {
	flags := command.Flags()
	flags.StringSliceVar(&m.servers, "etcd-servers", nil, "Members of the cluster, as URLs. "+need)
	flags.StringVar(&m.tls.TrustedCAFile, "etcd-cafile", "", "CA bundle of the members.")
	flags.StringVar(&m.tls.CertFile, "etcd-certfile", "", "Client certificate for etcd.")
	flags.StringVar(&m.tls.KeyFile, "etcd-keyfile", "", "Key of --etcd-certfile.")
}

// connect returns a client of the first member that knows the others. Each is asked alone:
// one client of all of them may insist on a member that is away, as behind a proxy.
func (m *members) connect(ctx context.Context) (*clientv3.Client, *clientv3.MemberListResponse, error) {
	config := clientv3.Config{DialTimeout: memberTimeout, Logger: zap.NewNop()}
	if !m.tls.Empty() || m.tls.TrustedCAFile != "" {
		tls, err := m.tls.ClientConfig()
		if err != nil {
			return nil, nil, fmt.Errorf("--etcd-cafile, --etcd-certfile, --etcd-keyfile: %w", err)
		}
		config.TLS = tls
	}
	var errs []error
	for _, server := range m.servers {
		config.Endpoints = []string{server}
		client, err := clientv3.New(config)
		if err != nil {
			return nil, nil, fmt.Errorf("--etcd-servers: %w", err)
		}
		asking, cancel := context.WithTimeout(ctx, memberTimeout)
		cluster, err := client.MemberList(asking) // with a quorum
		cancel()
		if err == nil {
			return client, cluster, nil
		}
		_ = client.Close()
		errs = append(errs, fmt.Errorf("%s: %w", server, err))
	}
	return nil, nil, fmt.Errorf("no member of etcd answers with a quorum: start the other members, or restore a snapshot: %w", errors.Join(errs...))
}
