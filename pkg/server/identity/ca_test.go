package identity

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/cert"
)

// testCA signs certificates for tests.
type testCA struct {
	t           testing.TB
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
	pem         []byte
	// file is the path of a file that contains pem.
	file string
}

func newCA(t testing.TB, name string) *testCA {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: name}, key)
	require.NoError(t, err)
	encoded, err := cert.EncodeCertificates(certificate)
	require.NoError(t, err)
	return &testCA{t: t, key: key, certificate: certificate, pem: encoded, file: writeFile(t, name+".crt", string(encoded))}
}

// client signs the certificate of a user.
func (a *testCA) client(name string, groups ...string) *tls.Certificate {
	template := certificateTemplate(pkix.Name{CommonName: name, Organization: groups})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.sign(template)
}

// server signs a certificate for the loopback address.
func (a *testCA) server() *tls.Certificate {
	template := certificateTemplate(pkix.Name{CommonName: "server"})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	return a.sign(template)
}

func (a *testCA) sign(template *x509.Certificate) *tls.Certificate {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	require.NoError(a.t, err)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func certificateTemplate(subject pkix.Name) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
	}
}

// writeFile writes a file into the test's temporary directory and returns its
// path.
func writeFile(t testing.TB, name, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	return file
}
