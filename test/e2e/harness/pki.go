package harness

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// certificateLife is how far before and after now certificates are valid.
const certificateLife = 24 * time.Hour

// CA is a certificate authority for one test.
type CA struct {
	// CertFile and KeyFile are the paths of its certificate and key, in PEM.
	CertFile, KeyFile string

	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Pair names the files of a certificate and its key, in PEM.
type Pair struct{ CertFile, KeyFile string }

// NewCA makes a certificate authority.
func NewCA(t TB, name string) *CA {
	t.Helper()
	ca := &CA{dir: t.TempDir(), key: newKey(t)}
	template := template(t, pkix.Name{CommonName: name})
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	ca.cert = sign(t, template, template, ca.key.Public(), ca.key)
	ca.CertFile = filepath.Join(ca.dir, "ca.crt")
	writePEM(t, ca.CertFile, "CERTIFICATE", ca.cert.Raw)
	ca.KeyFile = filepath.Join(ca.dir, "ca.key")
	writeKey(t, ca.KeyFile, ca.key)
	return ca
}

// Server makes a serving certificate for the loopback addresses and the hosts.
func (ca *CA) Server(t TB, name string, hosts ...string) Pair {
	t.Helper()
	template := template(t, pkix.Name{CommonName: name})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	template.DNSNames = append([]string{"localhost"}, hosts...)
	return ca.issue(t, template)
}

// Client makes a client certificate for a user and its groups.
func (ca *CA) Client(t TB, user string, groups ...string) Pair {
	t.Helper()
	template := template(t, pkix.Name{CommonName: user, Organization: groups})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return ca.issue(t, template)
}

// Pool returns a pool that holds this CA alone.
func (ca *CA) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	return pool
}

func (ca *CA) clientTLS(t TB) *tls.Config {
	t.Helper()
	pair := ca.Client(t, "test")
	certificate, err := tls.LoadX509KeyPair(pair.CertFile, pair.KeyFile)
	if err != nil {
		t.Fatalf("loading a client certificate: %v", err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: ca.Pool(), Certificates: []tls.Certificate{certificate}}
}

func (ca *CA) issue(t TB, template *x509.Certificate) Pair {
	t.Helper()
	key := newKey(t)
	certificate := sign(t, template, ca.cert, key.Public(), ca.key)
	dir, err := os.MkdirTemp(ca.dir, template.Subject.CommonName+"-")
	if err != nil {
		t.Fatalf("making a directory for a certificate: %v", err)
	}
	pair := Pair{CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key")}
	writePEM(t, pair.CertFile, "CERTIFICATE", certificate.Raw)
	writeKey(t, pair.KeyFile, key)
	return pair
}

func template(t TB, subject pkix.Name) *x509.Certificate {
	t.Helper()
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 126))
	if err != nil {
		t.Fatalf("drawing a serial number: %v", err)
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    now.Add(-certificateLife),
		NotAfter:     now.Add(certificateLife),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func sign(t TB, template, parent *x509.Certificate, public crypto.PublicKey, signer crypto.Signer) *x509.Certificate {
	t.Helper()
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, public, signer)
	if err != nil {
		t.Fatalf("signing the certificate of %s: %v", template.Subject, err)
	}
	certificate, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatalf("reading the certificate of %s: %v", template.Subject, err)
	}
	return certificate
}

func newKey(t TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("making a key: %v", err)
	}
	return key
}

func writeKey(t TB, path string, key *ecdsa.PrivateKey) {
	t.Helper()
	raw, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatalf("encoding a key: %v", err)
	}
	writePEM(t, path, "EC PRIVATE KEY", raw)
}

func writePEM(t TB, path, kind string, raw []byte) {
	t.Helper()
	writeFile(t, path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}))
}

func writeFile(t TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatalf("writing %s: %v", path, err)
	}
}
