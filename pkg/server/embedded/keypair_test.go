package embedded

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

func TestEnsureCertificatesRejectsFilesItDidNotCreate(t *testing.T) {
	tests := map[string]struct {
		prepare func(t *testing.T, pki string)
		names   string
		wants   []string
	}{
		"a CA certificate that is not PEM": {
			prepare: func(t *testing.T, pki string) { write(t, filepath.Join(pki, "ca.crt"), "rubbish") },
			names:   "ca.crt", wants: []string{"contains no valid certificate", "away"},
		},
		"an empty key": {
			prepare: func(t *testing.T, pki string) { write(t, filepath.Join(pki, "ca.key"), "") },
			names:   "ca.key", wants: []string{"contains no valid private key", "away"},
		},
		"a certificate cut short": {
			prepare: func(t *testing.T, pki string) {
				write(t, filepath.Join(pki, "serving.crt"), encode(cert.CertificateBlockType, []byte{0x30, 0x82, 1}))
			},
			names: "serving.crt", wants: []string{"contains no valid certificate", "away"},
		},
		"a key cut short": {
			prepare: func(t *testing.T, pki string) {
				write(t, filepath.Join(pki, "serving.key"), encode(keyutil.PrivateKeyBlockType, []byte{0x30, 0x82, 1}))
			},
			names: "serving.key", wants: []string{"contains no valid private key", "away"},
		},
		"a key of another kind": {
			prepare: func(t *testing.T, pki string) {
				_, key, err := ed25519.GenerateKey(rand.Reader)
				require.NoError(t, err)
				der, err := x509.MarshalPKCS8PrivateKey(key)
				require.NoError(t, err)
				write(t, filepath.Join(pki, "admin.key"), encode(keyutil.PrivateKeyBlockType, der))
			},
			names: "admin.key", wants: []string{"was not created by this server", "ed25519", "ECDSA P-256", "away"},
		},
		"a chain where one certificate is expected": {
			prepare: func(t *testing.T, pki string) {
				write(t, filepath.Join(pki, "serving.crt"), read(t, filepath.Join(pki, "serving.crt"))+read(t, filepath.Join(pki, "ca.crt")))
			},
			names: "serving.crt", wants: []string{"contains 2 certificates, where one is expected", "away"},
		},
		"a certificate whose key is gone": {
			prepare: func(t *testing.T, pki string) { remove(t, pki, "ca.key") },
			names:   "ca.key", wants: []string{"is missing", "restore it", "ca.crt"},
		},
		"a key of another certificate": {
			prepare: func(t *testing.T, pki string) {
				write(t, filepath.Join(pki, "admin.key"), read(t, filepath.Join(pki, "serving.key")))
			},
			names: "admin.key", wants: []string{"is not the key of", "admin.crt", "away"},
		},
		"a CA certificate of another origin": {
			prepare: func(t *testing.T, pki string) { putSelfSigned(t, pki, "ca", "Example Corp CA") },
			names:   "ca.crt", wants: []string{"was not created by this server", "Example Corp CA", "--client-ca-file"},
		},
		"a serving certificate of another origin": {
			prepare: func(t *testing.T, pki string) { putSelfSigned(t, pki, "serving", "alone.example.com") },
			names:   "serving.crt", wants: []string{"was not created by this server", "alone.example.com", "--tls-cert-file"},
		},
		"a certificate that is not for a CA": {
			prepare: func(t *testing.T, pki string) { putSelfSigned(t, pki, "ca", caNamePrefix+"0") },
			names:   "ca.crt", wants: []string{"is not a self-signed CA certificate", "away"},
		},
		"a directory in place of a key": {
			prepare: func(t *testing.T, pki string) {
				remove(t, pki, "ca.key")
				require.NoError(t, os.Mkdir(filepath.Join(pki, "ca.key"), 0o700))
			},
			names: "ca.key", wants: []string{"cannot be read"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir, pki, _ := certified(t)
			test.prepare(t, pki)
			before := contents(t, pki)

			_, err := EnsureCertificates(dir, []string{"changed.example.com"}, at(begin().Add(3640*day)))
			require.Error(t, err)
			for _, want := range append(test.wants, filepath.Join(pki, test.names)) {
				assert.ErrorContains(t, err, want)
			}
			assert.NotContains(t, differences(before, contents(t, pki)), test.names, "it was overwritten")
		})
	}
}

func TestEnsureCertificatesRejectsAFileInPlaceOfTheDirectory(t *testing.T) {
	dir := openDirectory(t, filepath.Join(t.TempDir(), "data"))
	write(t, filepath.Join(dir.Path(), "pki"), "")
	_, err := EnsureCertificates(dir, nil, at(begin()))
	assert.ErrorContains(t, err, filepath.Join(dir.Path(), "pki")+" is not a directory")
}

func TestEnsureCertificatesRejectsInvalidHosts(t *testing.T) {
	dir := openDirectory(t, filepath.Join(t.TempDir(), "data"))
	for _, host := range []string{"", "https://x", "a b", "host:6443", "-ä-", "a..b"} {
		_, err := EnsureCertificates(dir, []string{host}, at(begin()))
		assert.ErrorContains(t, err, "neither an IP address nor a host name", "host %q", host)
	}
	assert.NoDirExists(t, filepath.Join(dir.Path(), "pki"))
}

func TestEnsureCertificatesKeepsAKeyInSEC1(t *testing.T) {
	dir, _, first := certified(t)
	key, err := keyutil.ParsePrivateKeyPEM(first.Serving.KeyPEM)
	require.NoError(t, err)
	encoded, err := keyutil.MarshalPrivateKeyToPEM(key)
	require.NoError(t, err)
	write(t, first.Serving.KeyFile, string(encoded))

	second, err := EnsureCertificates(dir, nil, at(begin()))
	require.NoError(t, err)
	assert.Empty(t, second.Renewals)
	assert.Equal(t, encoded, second.Serving.KeyPEM)
}

func encode(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// putSelfSigned replaces a pair with a well-formed, self-signed one.
func putSelfSigned(t *testing.T, folder, name, commonName string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: commonName},
		NotBefore:             begin(),
		NotAfter:              begin().Add(20 * 365 * day),
		BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	write(t, filepath.Join(folder, name+".crt"), encode(cert.CertificateBlockType, certificate))
	write(t, filepath.Join(folder, name+".key"), encode(keyutil.PrivateKeyBlockType, der))
}
