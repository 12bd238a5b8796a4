package embedded

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An administrator adds another CA to ca.crt, so that clients trust certificates of both while one
// replaces the other. Renewal wrote the signing CA alone.
func TestACABundleSurvivesRenewal(t *testing.T) {
	other, err := EnsureCertificates(openDirectory(t, filepath.Join(t.TempDir(), "other")), nil, at(begin()))
	require.NoError(t, err)
	for place, bundle := range map[string]func(own, other []byte) []byte{
		"after this server's":  func(own, other []byte) []byte { return append(own, other...) },
		"before this server's": func(own, other []byte) []byte { return append(other, own...) },
	} {
		t.Run("the other CA "+place, func(t *testing.T) {
			dir, _, certificates := certified(t)
			require.NoError(t, os.WriteFile(certificates.CA.CertificateFile, bundle(certificates.CA.CertificatePEM, other.CA.CertificatePEM), 0o600))
			for _, moment := range []time.Time{certificates.Serving.NotAfter, certificates.CA.NotAfter.Add(-day)} {
				name := moment.String()
				now, err := EnsureCertificates(dir, nil, at(moment))
				require.NoError(t, err, name)
				for _, trusted := range []Certificates{now, other} {
					_, err := parse(t, trusted.Serving).Verify(x509.VerifyOptions{Roots: poolOf(t, now.CA), DNSName: "localhost", CurrentTime: parse(t, trusted.Serving).NotBefore})
					require.NoError(t, err, name)
				}
				require.Equal(t, 2, strings.Count(read(t, now.CA.CertificateFile), "BEGIN CERTIFICATE"), name)
			}
		})
	}
}

// poolOf returns the certificates of a pair's file.
func poolOf(t *testing.T, pair KeyPair) *x509.CertPool {
	t.Helper()
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(pair.CertificatePEM))
	return pool
}
