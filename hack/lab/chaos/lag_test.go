package chaos_test

import (
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

// TestListsOfAServerWhoseWatchesReportNothingShareReads takes eight seconds; for three of them the
// library waits for the watch cache.
func TestListsOfAServerWhoseWatchesReportNothingShareReads(t *testing.T) {
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	proxy := traffic.StartEtcdProxy(t, etcd.URL)
	server := harness.StartServer(t, harness.ServerOptions{Args: []string{"--etcd-servers=" + proxy.URL}})
	kind := lagServers()[0]
	proxy.HoldWatches(true)
	require.NoError(t, traffic.Fill(t.Context(), etcd.Client(t), kind.prefix, 3, 1000))
	config := server.Config(t)
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	get := func(path string) string {
		response, err := client.Get(config.Host + path)
		if !assert.NoError(t, err) {
			return ""
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		assert.NoError(t, err)
		return string(body)
	}
	const clients = 30
	bodies := make([]string, clients)
	var sent sync.WaitGroup
	for i := range clients {
		sent.Go(func() { bodies[i] = get(collection) })
	}
	sent.Wait()
	for _, body := range bodies {
		assert.Equal(t, 3, strings.Count(body, `"name":"filled-`), "the latest state")
	}
	values, err := scrape.Parse(get("/metrics"), "apf_storage_lists_total")
	require.NoError(t, err)
	read := values.Sum("apf_storage_lists_total", `result="read"`)
	assert.Positive(t, read)
	assert.GreaterOrEqual(t, values.Sum("apf_storage_lists_total", `result="shared"`), 2*read)
}

func TestTheReportHasARowForEachServerAndFault(t *testing.T) {
	one := phase{peak: 100 << 20, etcd: 50 << 20, read: 2e6, served: 7, gets: 20 * time.Millisecond}
	two := phase{peak: 130 << 20, etcd: 55 << 20, read: 9e6, served: 5, rejected: 1, failed: 2, gets: 30 * time.Millisecond}
	text := lagReport(lagSettings{objects: 10, size: 1000, load: time.Second}, []lagResult{{
		server: "ours", fault: "slow", without: one, with: two, alone: 15 * time.Millisecond, seen: 9,
	}})
	assert.Contains(t, text, "| slow | ours | 5, 1, 2 (without: 7) | 130 MiB, 1.30 | 55 MiB, 1.10 | 9 MB | 30ms, 2.00 (without: 20ms) | 0 of 9 |\n")
}
