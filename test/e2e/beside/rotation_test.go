package beside

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

func testRotation(t *testing.T, s *site) {
	t.Run("while the serving certificate is replaced", s.underLoad(testServingCertificate))
	t.Run("while the front proxy's certificate and CA are replaced", s.underLoad(testFrontProxy))
	t.Run("while the CA of users is replaced", s.underLoad(testClientCA))
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

func (s *site) replaceProxyPair(t *testing.T, authority *harness.CA) {
	t.Helper()
	pair := authority.Client(t, proxyName)
	replace(t, s.proxyPair.KeyFile, pair.KeyFile)
	replace(t, s.proxyPair.CertFile, pair.CertFile)
}

// past returns a client that connects directly to the server's Service, not
// through the aggregator, with a certificate if one is given.
func (s *site) past(t *testing.T, certificate *harness.Pair) *http.Client {
	t.Helper()
	return s.direct(t, certificate, func(ctx context.Context, _, _ string) (net.Conn, error) {
		return s.Network.Dial(ctx, cluster.ServerName+":443")
	})
}

// only returns a client that connects directly to one pod.
func (s *site) only(t *testing.T, pod *cluster.Pod, certificate *harness.Pair) *http.Client {
	t.Helper()
	client := s.direct(t, certificate, func(ctx context.Context, network, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, network, pod.Address(cluster.ServerPort))
	})
	client.Transport.(*http.Transport).DisableKeepAlives = true
	return client
}

func (s *site) direct(t *testing.T, certificate *harness.Pair, dial func(context.Context, string, string) (net.Conn, error)) *http.Client {
	t.Helper()
	config := &tls.Config{RootCAs: s.serving, ServerName: cluster.ServerName}
	if certificate != nil {
		loaded, err := tls.LoadX509KeyPair(certificate.CertFile, certificate.KeyFile)
		require.NoError(t, err)
		// Present the certificate even to a server that does not list its CA.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &loaded, nil }
	}
	transport := &http.Transport{TLSClientConfig: config, DialContext: dial, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// relayed returns a client that connects through kube-apiserver, with a
// certificate if one is given.
func (s *site) relayed(t *testing.T, certificate *harness.Pair) *http.Client {
	t.Helper()
	config := s.aggregated(t).config
	if certificate != nil {
		config.CertFile, config.KeyFile = certificate.CertFile, certificate.KeyFile
	}
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	return client
}
