package cluster

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEachPortHasAPartOfTheLoopbackOfItsOwn(t *testing.T) {
	const firstUnprivileged, last = 1024, 65535
	owners := map[string]int{}
	for port := firstUnprivileged; port <= last; port++ {
		part := loopbackOf(port)
		require.NotContains(t, owners, part)
		owners[part] = port
		require.True(t, net.ParseIP(part+".1").IsLoopback(), part)
	}
	require.NotContains(t, owners, "127.0.0", "where everything else listens")
}
