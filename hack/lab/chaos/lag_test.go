package chaos_test

import (
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

// collection is the resource of all requests.
const collection = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"

// TestListsOfAServerWhoseWatchesReportNothingShareReads takes eight seconds; for three of them the
// library waits for the watch cache.
func TestListsOfAServerWhoseWatchesReportNothingShareReads(t *testing.T) {
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	proxy := traffic.StartEtcdProxy(t, etcd.URL)
	server := harness.StartServer(t, harness.ServerOptions{Args: []string{"--etcd-servers=" + proxy.URL}})
	proxy.HoldWatches(true)
	require.NoError(t, traffic.Fill(t.Context(), etcd.Client(t), storePrefix, 3, 1000))
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
