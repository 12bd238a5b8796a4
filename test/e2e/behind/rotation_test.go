package behind

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

func testRotation(t *testing.T, s *besideSite) {
	t.Run("while all pods are replaced", s.underLoad(testRollout))
	t.Run("when etcd comes back", func(t *testing.T) { testEtcdLoss(t, s) })
}

// replace replaces a file atomically with the concatenation of others.
func replace(t *testing.T, file string, parts ...string) {
	t.Helper()
	var content []byte
	for _, part := range parts {
		text, err := os.ReadFile(part)
		require.NoError(t, err)
		content = append(content, text...)
	}
	require.NoError(t, os.WriteFile(file+".new", content, 0o600))
	require.NoError(t, os.Rename(file+".new", file))
}

// past returns a client that connects directly to the server's Service, not
// through the aggregator.
func (s *besideSite) past(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: s.serving, ServerName: cluster.ServerName},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return s.Network.Dial(ctx, cluster.ServerName+":443")
		},
		ForceAttemptHTTP2: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// relayed returns a client that connects through kube-apiserver.
func (s *besideSite) relayed(t *testing.T) *http.Client {
	t.Helper()
	client, err := rest.HTTPClientFor(s.aggregated(t).config)
	require.NoError(t, err)
	return client
}
