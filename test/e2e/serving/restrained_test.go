package serving

import (
	"crypto/tls"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// watchCacheMetrics is the name prefix of the watch cache's metrics.
const watchCacheMetrics = "apiserver_watch_cache_"

// TestServerThatIsRestrained runs a server with fewer features than the default:
// no profiling, no watch cache, no TLS below 1.3, no HTTP/2, and blocking audit.
func TestServerThatIsRestrained(t *testing.T) {
	t.Parallel()
	audit := newStrictReceiver(t)
	s := startSite(t, harness.ServerOptions{Args: []string{
		"--profiling=false", "--watch-cache=false", "--tls-min-version=VersionTLS13", "--disable-http2-serving",
		"--token-auth-file=" + tokensOf(t, audited),
		"--audit-policy-file=" + fileOf(t, "policy.yaml", strictPolicy),
		"--audit-webhook-config-file=" + audit.kubeconfig(t),
		"--audit-webhook-mode=blocking-strict", "--audit-webhook-initial-backoff=1ms",
	}})
	t.Run("profiles are not served", func(t *testing.T) {
		for _, path := range []string{"/debug/pprof/", "/debug/pprof/goroutine", "/debug/flags/v"} {
			require.Equal(t, http.StatusNotFound, s.ask(t, http.MethodGet, path, "").Code, path)
		}
	})
	t.Run("the API works without a watch cache", s.testUncached)
	t.Run("there are no metrics of a watch cache", func(t *testing.T) {
		metrics := s.ask(t, http.MethodGet, "/metrics", "")
		require.Equal(t, http.StatusOK, metrics.Code)
		require.NotContains(t, metrics.Body, watchCacheMetrics)
	})
	t.Run("TLS 1.2 is rejected", func(t *testing.T) {
		_, err := s.dial(t.Context(), &tls.Config{MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12})
		require.ErrorContains(t, err, "protocol version")
		connection, err := s.dial(t.Context(), &tls.Config{MinVersion: tls.VersionTLS12})
		require.NoError(t, err)
		require.EqualValues(t, tls.VersionTLS13, connection.ConnectionState().Version)
		require.NoError(t, connection.Close())
	})
	t.Run("HTTP/2 is not negotiated", func(t *testing.T) {
		connection, err := s.dial(t.Context(), &tls.Config{MinVersion: tls.VersionTLS13, NextProtos: []string{"h2", "http/1.1"}})
		require.NoError(t, err)
		require.Equal(t, "http/1.1", connection.ConnectionState().NegotiatedProtocol)
		require.NoError(t, connection.Close())
	})
	t.Run("a request waits until it is audited", func(t *testing.T) { s.testAuditIsWaitedFor(t, audit) })
	t.Run("a request that cannot be audited is rejected", func(t *testing.T) { s.testAuditIsDemanded(t, audit) })
}

// testUncached reads from the store, at revisions and page by page, and watches
// from an old revision.
func (s *site) testUncached(t *testing.T) {
	schemas := s.api.FlowSchemas()
	before := s.createSchema(t, "uncached", "one")
	changed := before.DeepCopy()
	changed.Spec.MatchingPrecedence++
	after, err := schemas.Update(t.Context(), changed, metav1.UpdateOptions{})
	require.NoError(t, err)

	one := metav1.ListOptions{FieldSelector: "metadata.name=uncached"}
	list, err := schemas.List(t.Context(), one)
	require.NoError(t, err)
	require.Equal(t, after.Spec, list.Items[0].Spec, "a list without a revision shows what was written before it")

	exact := one
	exact.ResourceVersion, exact.ResourceVersionMatch = before.ResourceVersion, metav1.ResourceVersionMatchExact
	list, err = schemas.List(t.Context(), exact)
	require.NoError(t, err)
	require.Equal(t, before.ResourceVersion, list.ResourceVersion)
	require.Equal(t, before.Spec, list.Items[0].Spec)

	page, err := schemas.List(t.Context(), metav1.ListOptions{Limit: 1})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	rest, err := schemas.List(t.Context(), metav1.ListOptions{Continue: page.Continue})
	require.NoError(t, err)
	require.Equal(t, page.ResourceVersion, rest.ResourceVersion)
	require.NotEmpty(t, rest.Items)

	watcher, err := schemas.Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=uncached", ResourceVersion: before.ResourceVersion})
	require.NoError(t, err)
	defer watcher.Stop()
	require.NoError(t, schemas.Delete(t.Context(), "uncached", metav1.DeleteOptions{}))
	for _, expected := range []watch.EventType{watch.Modified, watch.Deleted} {
		require.Equal(t, expected, (<-watcher.ResultChan()).Type)
	}
}
