package etcdcmd

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
)

func member(name, peer string) *etcdserverpb.Member {
	return &etcdserverpb.Member{Name: name, PeerURLs: []string{peer}}
}

func TestMemberIsFoundByNameAndByTheAddressThatItHadOrWillHave(t *testing.T) {
	zero, one := member("etcd-0", "https://etcd-0.etcd:2380"), member("etcd-1", "https://etcd-1.etcd:2380")
	for name, test := range map[string]struct {
		all  []*etcdserverpb.Member
		want *etcdserverpb.Member
	}{
		"it is in the list":                      {[]*etcdserverpb.Member{zero, one}, one},
		"it was removed, and not added":          {[]*etcdserverpb.Member{zero}, nil},
		"it was added, and has not started":      {[]*etcdserverpb.Member{zero, member("", "https://etcd-1.etcd:2380")}, member("", "https://etcd-1.etcd:2380")},
		"another was added, and has not started": {[]*etcdserverpb.Member{member("", "https://etcd-2.etcd:2380"), zero}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			found, peer, err := find(test.all, "etcd-1")
			require.NoError(t, err)
			assert.Equal(t, test.want, found)
			assert.Equal(t, "https://etcd-1.etcd:2380", peer)
		})
	}
	for _, name := range []string{"etcd-", "etcd", "other-1", ""} {
		_, _, err := find([]*etcdserverpb.Member{zero, one}, name)
		require.EqualError(t, err, "etcd has no member "+name+": its members are etcd-0, etcd-1")
	}
}

func TestMemberThatAnswersIsNotReplaced(t *testing.T) {
	s := start(t, t.TempDir())
	cluster, err := s.MemberList(t.Context())
	require.NoError(t, err)
	own := cluster.Members[0]
	own.ClientURLs = []string{s.etcd.Endpoint()}
	require.ErrorContains(t, requireLost(t.Context(), s.Client, cluster.Members, own), "answers, so it has its data: nothing is changed")

	lost := &etcdserverpb.Member{ID: own.ID + 1, Name: "lost"}
	require.EqualError(t, requireLost(t.Context(), s.Client, append(cluster.Members, lost), lost),
		"1 other members of 2 answer, and 2 are needed: start them first, or restore a snapshot; nothing is changed")
}

func TestReplaceMemberNeedsTheAddressesOfTheCluster(t *testing.T) {
	_, err := execute(t, "replace-member", "etcd-1")
	require.EqualError(t, err, "--etcd-servers must name the members of the cluster, as https://HOST:2379")
	_, err = execute(t, "replace-member", "etcd-1", "--etcd-servers=https://127.0.0.1:1", "--etcd-cafile=/none")
	require.ErrorContains(t, err, "--etcd-cafile, --etcd-certfile, --etcd-keyfile: open /none")
}

func TestMembersAreAskedOneAfterTheOther(t *testing.T) {
	s := start(t, t.TempDir())
	client, cluster, err := (&members{servers: []string{"http://127.0.0.1:1", s.etcd.Endpoint()}}).connect(t.Context())
	require.NoError(t, err)
	defer func() { _ = client.Close() }()
	require.Len(t, cluster.Members, 1)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = (&members{servers: []string{"http://127.0.0.1:1"}}).connect(ended)
	require.ErrorContains(t, err, "no member of etcd answers with a quorum: start the other members, or restore a snapshot: http://127.0.0.1:1: ")
}
