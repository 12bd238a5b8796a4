package cluster

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEachPortHasAPartOfTheLoopbackOfItsOwn(t *testing.T) {
	const firstUnprivileged, last = 1024, 65535
	owners := map[string]int{"127.0.0": 0} // where everything else listens
	for port := firstUnprivileged; port <= last; port++ {
		part := loopbackOf(port)
		owner, taken := owners[part]
		require.False(t, taken, "ports %d and %d have %s", owner, port, part)
		owners[part] = port
		require.True(t, net.ParseIP(part+".1").IsLoopback(), part)
	}
}
