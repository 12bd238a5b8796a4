package etcdcmd

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

func newReplaceMember(o *options) *cobra.Command {
	m := &members{}
	command := &cobra.Command{
		Use:   "replace-member NAME",
		Short: "Let a member of an etcd cluster that lost its data join again",
		Long: `Let a member of an etcd cluster, not of the embedded one, join again after it lost its
data: its volume is gone, or what is on it cannot be read.

The other members remember it by an ID that is lost with the data. So it is removed and
added under a new ID. Then start it with an empty directory and
--initial-cluster-state=existing: it gets all data from the others.
artifacts/replace-etcd-member.sh does both in a cluster.

A member that answers is not replaced, and none is without a quorum of the others.
Running the command again changes nothing.`,
		Args: cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			return o.replaceMember(command.Context(), m, args[0])
		},
	}
	m.add(command, "Required.")
	return command
}

func (o *options) replaceMember(ctx context.Context, m *members, name string) error {
	if len(m.servers) == 0 {
		return errors.New("--etcd-servers must name the members of the cluster, as https://HOST:2379")
	}
	changing, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	client, cluster, err := m.connect(changing)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	lost, peer, err := find(cluster.Members, name)
	if err != nil {
		return err
	}
	if lost != nil && lost.Name == "" {
		fmt.Fprintf(o.out, "Member %s is added already, and has not started: start it with an empty directory and --initial-cluster-state=existing.\n", name)
		return nil
	}
	if lost != nil {
		if err := requireLost(ctx, client, cluster.Members, lost); err != nil {
			return err
		}
		if _, err := client.MemberRemove(changing, lost.ID); err != nil {
			return fmt.Errorf("removing member %s: %w", name, err)
		}
		fmt.Fprintf(o.out, "Removed member %s, ID %x.\n", name, lost.ID)
	}
	added, err := client.MemberAdd(changing, []string{peer})
	if err != nil {
		return fmt.Errorf("adding member %s at %s: %w; run the command again", name, peer, err)
	}
	fmt.Fprintf(o.out, "Added member %s, ID %x, at %s. Start it with an empty directory and --initial-cluster-state=existing.\n", name, added.Member.ID, peer)
	return nil
}

// find returns the member of a name, and its peer URL. A member that never started has no name, and
// a removed one is missing: find compares the peer URLs of both, which differ between members only
// by the name.
func find(all []*etcdserverpb.Member, name string) (*etcdserverpb.Member, string, error) {
	var names []string
	peer := ""
	for _, member := range all {
		if len(member.PeerURLs) == 0 {
			continue
		}
		if member.Name == name {
			return member, member.PeerURLs[0], nil
		}
		names = append(names, member.Name)
		if member.Name != "" && strings.Contains(member.PeerURLs[0], member.Name) && sameStem(member.Name, name) {
			peer = strings.Replace(member.PeerURLs[0], member.Name, name, 1)
		}
	}
	if peer == "" {
		return nil, "", fmt.Errorf("etcd has no member %s: its members are %s", name, strings.Join(names, ", "))
	}
	for _, member := range all {
		if slices.Contains(member.PeerURLs, peer) {
			return member, peer, nil
		}
	}
	return nil, peer, nil
}

// sameStem reports whether two names are of one StatefulSet, as etcd-0 and etcd-1.
func sameStem(one, other string) bool {
	numbered := regexp.MustCompile(`^(.+-)[0-9]+$`)
	first, second := numbered.FindStringSubmatch(one), numbered.FindStringSubmatch(other)
	return first != nil && second != nil && first[1] == second[1]
}

// requireLost returns an error if the member answers, or if too few others do.
func requireLost(ctx context.Context, client *clientv3.Client, all []*etcdserverpb.Member, lost *etcdserverpb.Member) error {
	answering := 0
	for _, member := range all {
		alive := answers(ctx, client, member)
		if alive && member.ID == lost.ID {
			return fmt.Errorf("member %s answers, so it has its data: nothing is changed", lost.Name)
		}
		if alive {
			answering++
		}
	}
	if quorum := len(all)/2 + 1; answering < quorum {
		return fmt.Errorf("%d other members of %d answer, and %d are needed: start them first, or restore a snapshot; nothing is changed", answering, len(all), quorum)
	}
	return nil
}

func answers(ctx context.Context, client *clientv3.Client, member *etcdserverpb.Member) bool {
	asking, cancel := context.WithTimeout(ctx, memberTimeout)
	defer cancel()
	for _, url := range member.ClientURLs {
		if _, err := client.Status(asking, url); err == nil {
			return true
		}
	}
	return false
}
