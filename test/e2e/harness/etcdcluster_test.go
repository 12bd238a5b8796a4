package harness

import (
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
)

func TestMembersOfAClusterHaveTheSameKeys(t *testing.T) {
	members := StartEtcdCluster(t, 3, nil)
	_, err := members[0].Client(t).Put(t.Context(), "key", "value")
	require.NoError(t, err)
	members[0].Kill(t)
	for _, member := range members[1:] {
		response, err := member.Client(t).Get(t.Context(), "key", clientv3.WithLimit(1))
		require.NoError(t, err)
		require.Len(t, response.Kvs, 1)
	}
	members[0].Start(t)
}
