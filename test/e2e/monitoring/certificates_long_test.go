//go:build long

package monitoring

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// issue writes a self-signed certificate of 127.0.0.1 that is valid for a while, and its key.
func issue(t *testing.T, pair harness.Pair, validFor time.Duration) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(validFor),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	write(t, pair.CertFile, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})))
	write(t, pair.KeyFile, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})))
}

func testCertificate(t *testing.T, s *alone) {
	const day = 24 * time.Hour
	dir := t.TempDir()
	pair := harness.Pair{CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key")}
	issue(t, pair, 10*day)
	server := s.start(t, "--tls-cert-file="+pair.CertFile, "--tls-private-key-file="+pair.KeyFile)
	s.watch(t, server)
	s.prometheus.requireFires(t, "FlowControlCertificateExpiring", "certificate", "serving")
	s.prometheus.requireRests(t, "FlowControlCertificateExpiresToday")

	for _, c := range []struct {
		validFor time.Duration
		fires    bool
	}{{day / 2, true}, {100 * day, false}} {
		server.Stop(t)
		issue(t, pair, c.validFor)
		server.Start(t)
		if c.fires {
			s.prometheus.requireFires(t, "FlowControlCertificateExpiresToday", "certificate", "serving")
		} else {
			s.prometheus.requireRests(t)
		}
	}
	s.watch(t)
	server.Stop(t)
	s.prometheus.requireRests(t)
}
