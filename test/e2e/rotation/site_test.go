// Package rotation tests that users notice nothing while what stands around the
// server changes: certificates and authorities are replaced, pods are, and etcd
// goes away and comes back. The server is deployed from artifacts/ behind a real
// kube-apiserver and asked all the time, through the aggregator and past it.
package rotation

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

const (
	objectsPath = "/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas"
	replicas    = 3
	// proxyName is the one name that the front proxy's certificate may have.
	proxyName = "front-proxy-client"
)

// site is a cluster whose kube-apiserver reads its authorities and its front
// proxy's certificate from files that a test replaces.
type site struct {
	*cluster.Cluster
	kubectl *harness.Kubectl
	wire    *wire // between the server and etcd
	// files are the bundles of authorities, and the front proxy's certificate.
	clientCAFile, proxyCAFile string
	proxyPair                 harness.Pair
	// clientCA and proxyCA are the authorities now, the others those to come.
	clientCA, nextClientCA, proxyCA, nextProxyCA *harness.CA

	serving *x509.CertPool // authority of the server's certificate
}

func TestUsersNoticeNothing(t *testing.T) {
	s := startSite(t)
	for _, pod := range s.Servers(t, replicas) {
		require.Zero(t, pod.Restarts(), "the probes waited for the start of %s", pod.Name())
	}
	require.NotContains(t, s.Kubectl(t).Run(t, "-n", cluster.Namespace, "get", "deployment", cluster.Deployment, "-o", "yaml"), "- --goaway-chance",
		"a connection that is told to go fails the write that is on its way")
	t.Run("while the serving certificate is replaced", s.underLoad(testServingCertificate))
	t.Run("while the front proxy's certificate and authority are replaced", s.underLoad(testFrontProxy))
	t.Run("while the authority of users is replaced", s.underLoad(testClientCA))
	t.Run("while all pods are replaced", s.underLoad(testRollout))
	t.Run("when etcd comes back", func(t *testing.T) { testEtcdLoss(t, s) })
}

func startSite(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	etcd := harness.StartEtcd(t, harness.EtcdOptions{CA: harness.NewCA(t, "etcd-ca")})
	s := &site{
		wire:         newWire(t, etcd.URL[len("https://"):]),
		clientCAFile: filepath.Join(dir, "client-ca.crt"),
		proxyCAFile:  filepath.Join(dir, "proxy-ca.crt"),
		proxyPair:    harness.Pair{CertFile: filepath.Join(dir, "proxy.crt"), KeyFile: filepath.Join(dir, "proxy.key")},
		clientCA:     harness.NewCA(t, "users-1"),
		proxyCA:      harness.NewCA(t, "front-proxy-1"),
		nextClientCA: harness.NewCA(t, "users-2"),
		nextProxyCA:  harness.NewCA(t, "front-proxy-2"),
	}
	replace(t, s.clientCAFile, s.clientCA.CertFile)
	replace(t, s.proxyCAFile, s.proxyCA.CertFile)
	s.replaceProxyPair(t, s.proxyCA)
	s.Cluster = cluster.StartBeside(t, cluster.Options{
		Etcd:    etcd,
		Rewrite: []string{"https://127.0.0.1:2379", "https://" + s.wire.address},
		KubeAPIServerArgs: []string{
			"--client-ca-file=" + s.clientCAFile,
			"--requestheader-client-ca-file=" + s.proxyCAFile,
			"--proxy-client-cert-file=" + s.proxyPair.CertFile,
			"--proxy-client-key-file=" + s.proxyPair.KeyFile,
			"--v=2", // says when it reads the front proxy's certificate again
		},
	})
	s.serving = x509.NewCertPool()
	require.True(t, s.serving.AppendCertsFromPEM(s.ServingCA(t)))
	s.kubectl = s.Kubectl(t)
	return s
}

// replace makes a file hold what others hold, at once.
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

// past returns a client that reaches the server by its Service, not through the
// aggregator, with a certificate if one is given.
func (s *site) past(t *testing.T, certificate *harness.Pair) *http.Client {
	t.Helper()
	return s.direct(t, certificate, func(ctx context.Context, _, _ string) (net.Conn, error) {
		return s.Network.Dial(ctx, cluster.ServerName+":443")
	})
}

// to returns a client that reaches one pod.
func (s *site) to(t *testing.T, pod *cluster.Pod, certificate *harness.Pair) *http.Client {
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
		// Also to a server that does not name its authority among those it trusts.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &loaded, nil }
	}
	transport := &http.Transport{TLSClientConfig: config, DialContext: dial, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// aggregated returns a client of kube-apiserver with the credentials.
func (s *site) aggregated(t *testing.T, certificate *harness.Pair) *http.Client {
	t.Helper()
	config := rest.AnonymousClientConfig(s.Config(t))
	if certificate != nil {
		config.CertFile, config.KeyFile = certificate.CertFile, certificate.KeyFile
	}
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	return client
}

// waitCode waits until a request is answered so.
func (s *site) waitCode(t *testing.T, what string, code int, send func(context.Context) (int, error)) {
	t.Helper()
	cluster.Eventually(t, what, func(ctx context.Context) error {
		got, err := send(ctx)
		return unless(code, got, err)
	})
}
