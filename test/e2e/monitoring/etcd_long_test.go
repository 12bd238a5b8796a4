//go:build long

package monitoring

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// etcdQuota is the quota of the etcd process, in bytes: larger than the one that is assumed
// of an etcd that is not scraped.
const etcdQuota = 128 << 20

// testLargeEtcd fills etcd above the quota that is assumed, and then near its own.
func testLargeEtcd(t *testing.T, s *alone) {
	const alert, part = "FlowControlEtcdLarge", 0.83
	client := s.etcd.Client(t)
	fill := func(quota int64) {
		for {
			status, err := client.Status(t.Context(), s.etcd.URL)
			require.NoError(t, err)
			if float64(status.DbSize) > part*float64(quota) {
				return
			}
			_, err = client.Put(t.Context(), "/something/else", strings.Repeat("x", 256<<10))
			require.NoError(t, err)
		}
	}
	fill(assumedQuota)
	s.prometheus.scrape(t, map[string][]string{serverJob: s.addresses()})
	s.prometheus.requireFires(t, alert, "job", serverJob)
	s.watch(t)
	s.prometheus.requireRests(t)
	fill(etcdQuota)
	s.prometheus.requireFires(t, alert, "job", etcdJob)

	answer, err := client.Delete(t.Context(), "/something/else")
	require.NoError(t, err)
	_, err = client.Compact(t.Context(), answer.Header.Revision, clientv3.WithCompactPhysical())
	require.NoError(t, err)
	_, err = client.Defragment(t.Context(), s.etcd.URL)
	require.NoError(t, err)
	s.prometheus.requireRests(t)
}

func testEtcdStops(t *testing.T, s *alone) {
	s.etcd.Stop(t)
	s.prometheus.requireFires(t, "FlowControlEtcdUnavailable")
	s.prometheus.requireFires(t, "FlowControlEtcdMemberDown", "job", etcdJob)
	s.prometheus.requireRests(t, "FlowControlReplicaDown", "FlowControlServerDown")
	s.etcd.Start(s.owner)
	s.prometheus.requireRests(t)
}
