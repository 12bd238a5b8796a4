//go:build long

package chaos_test

import (
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

var (
	lagObjects = flag.Int("lag-objects", 10_000, "number of FlowSchemas in TestLag")
	lagSize    = flag.Int("lag-size", 1_000, "size of each in bytes")
	updateLag  = flag.Bool("update-lag", false, "measure what a lagging watch cache does, and write it into docs/evidence/reliability.md")
)

// TestLag measures what a watch cache that lags behind etcd does to a server: this project's,
// kube-apiserver, and kube-apiserver with pkg/apf. Fifty users list all
// FlowSchemas of the latest state without pause, each with one connection. Six others get one
// object ten times a second. The same lists run on another server without a fault, and in each
// fault the gets run alone first: the figures are relative to these.
//
// The faults: etcd answers, but its watches report nothing; and etcd is paused for five
// seconds, and answers and reports half a second late then.
//
// All the time one object changes in etcd, and one user lists it: a list that shows an older
// value than etcd had when it was sent is counted as stale.
//
// Each server has a process, an etcd and a proxy before it of its own. A run takes a minute and a
// half for each server and fault; without -update-lag there are this server and one fault.
func TestLag(t *testing.T) {
	s := lagSettings{objects: *lagObjects, size: *lagSize, load: 20 * time.Second, quiet: 8 * time.Second, limit: 8 << 30}
	faults, servers := lagFaults(), lagServers()
	if !*updateLag {
		faults, servers = faults[:1], servers[:1]
	}
	var results []lagResult
	err := harness.Own(t.Context(), func(o *harness.Owner) {
		for _, fault := range faults {
			for _, server := range servers {
				o.Within(func(o *harness.Owner) { results = append(results, measureLag(o, s, server, fault)) })
			}
		}
	})
	text := lagReport(s, results)
	t.Log(text)
	require.NoError(t, err)
	require.Zero(t, results[0].stale, "lists that are older than they may be")
	require.False(t, results[0].killed)
	if *updateLag {
		require.NoError(t, measurement.Publish("make lag", "lag", "docs/evidence/reliability.md", text))
	}
}

func TestTheReportHasARowForEachServerAndFault(t *testing.T) {
	one := phase{peak: 100 << 20, etcd: 50 << 20, read: 2e6, served: 7, gets: 20 * time.Millisecond}
	two := phase{peak: 130 << 20, etcd: 55 << 20, read: 9e6, served: 5, rejected: 1, failed: 2, gets: 30 * time.Millisecond}
	text := lagReport(lagSettings{objects: 10, size: 1000, load: time.Second}, []lagResult{{
		server: "ours", fault: "slow", without: one, with: two, alone: 15 * time.Millisecond, seen: 9,
	}})
	assert.Contains(t, text, "| slow | ours | 5, 1, 2 (without: 7) | 130 MiB, 1.30 | 55 MiB, 1.10 | 9 MB | 30ms, 2.00 (without: 20ms) | 0 of 9 |\n")
}
