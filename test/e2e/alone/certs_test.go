package alone

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// certs runs the program's command certs on the data directory.
func (s *site) certs(t *testing.T, args ...string) string {
	t.Helper()
	path := harness.Program(t, binaries.Server)
	output, err := exec.CommandContext(t.Context(), path, append([]string{"certs"}, append(args, "--data-dir="+s.DataDir)...)...).CombinedOutput()
	require.NoError(t, err, string(output))
	return string(output)
}

// presented returns the certificate on a new connection, and requires that pool trusts it.
func (s *site) presented(t require.TestingT, pool *x509.CertPool) *x509.Certificate {
	connection, err := tls.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)), &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool})
	require.NoError(t, err)
	defer func() { _ = connection.Close() }()
	return connection.ConnectionState().PeerCertificates[0]
}

// TestCertsRenewBesideARunningServer renews certificates while a watch is open.
func TestCertsRenewBesideARunningServer(t *testing.T) {
	t.Parallel()
	s := startSite(t, nil)
	old := s.Config(t)
	pool, err := cert.NewPoolFromBytes(old.CAData)
	require.NoError(t, err)
	first := s.presented(t, pool)
	watcher := s.watchSchemas(t, metav1.SingleObject(metav1.ObjectMeta{Name: "while-renewed"}))
	require.Regexp(t, `(?m)^serving .* valid$`, s.certs(t, "check"))

	require.Contains(t, s.certs(t, "renew"), "Renewed admin.kubeconfig, valid until ")
	eventually.Holds(t, "new connections have the new certificate", func(a *eventually.Attempt) {
		require.NotEqual(a, first.SerialNumber, s.presented(a, pool).SerialNumber)
	})
	require.NotEqual(t, old.CertData, s.Config(t).CertData)
	renewed := siteOf(t, s.Server, nil)
	_, err = renewed.schemas().Create(t.Context(), objects.SchemaOf("while-renewed", "catch-all"), metav1.CreateOptions{})
	require.NoError(t, err, "with the new kubeconfig")
	requireAdded(t, watcher, "while-renewed")

	// The old kubeconfig works until its own end, on a new connection too.
	config, err := rest.TLSConfigFor(old)
	require.NoError(t, err)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
	require.Equal(t, http.StatusOK, send(t, client, http.MethodGet, s.URL+v1Path+"/flowschemas", "").Code)
	require.Regexp(t, `(?m)^admin\.kubeconfig .* valid$`, s.certs(t, "check"))
}

func TestCertsCheckOfADirectoryWithoutCertificatesIsRejectedInOneLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, command := range []string{"check", "renew"} {
		require.Contains(t, rejected(t, "certs", command, "--data-dir="+dir), "data directory "+dir+" has no certificates")
	}
}

// TestCertificatesTour runs what docs/certificates.md shows.
func TestCertificatesTour(t *testing.T) {
	clone := harness.ShortDir(t)
	harness.StartServer(t, harness.ServerOptions{DataDir: filepath.Join(clone, ".flowcontrol-apiserver")})
	env := []string{"KUBECONFIG=.flowcontrol-apiserver/admin.kubeconfig"}
	tour.Run(t, tour.Section{Document: "docs/certificates.md", Heading: "## Check and renew", Dir: clone, Env: env}, *updateDocs)
}
