package identity

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// testCA signs certificates for tests.
type testCA struct {
	t  testing.TB
	ca *harness.CA
	// file has its certificate, pem.
	file string
	pem  []byte
}

func newCA(t testing.TB, name string) *testCA {
	t.Helper()
	ca := harness.NewCA(t, name)
	pem, err := os.ReadFile(ca.CertFile)
	require.NoError(t, err)
	return &testCA{t: t, ca: ca, file: ca.CertFile, pem: pem}
}

// client signs the certificate of a user.
func (a *testCA) client(name string, groups ...string) *tls.Certificate {
	return load(a.t, a.ca.Client(a.t, name, groups...))
}

// server signs a certificate for the loopback address.
func (a *testCA) server() *tls.Certificate { return load(a.t, a.ca.Server(a.t, "server")) }

func load(t testing.TB, pair harness.Pair) *tls.Certificate {
	t.Helper()
	certificate, err := tls.LoadX509KeyPair(pair.CertFile, pair.KeyFile)
	require.NoError(t, err)
	return &certificate
}

// writeFile writes a file into the test's temporary directory and returns its
// path.
func writeFile(t testing.TB, name, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	return file
}
