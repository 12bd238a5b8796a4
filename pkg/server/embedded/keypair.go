package embedded

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"path/filepath"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// KeyPair is a certificate with its private key, on disk and in memory.
type KeyPair struct {
	// CertificateFile and KeyFile are absolute paths, modes 0644 and 0600.
	CertificateFile, KeyFile string
	// CertificatePEM and KeyPEM are the contents of these files.
	CertificatePEM, KeyPEM []byte
	// NotAfter is the last moment at which the certificate is valid.
	NotAfter time.Time
}

// parsedKeyPair is a KeyPair with its key and, once issued, its certificate.
type parsedKeyPair struct {
	KeyPair
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// openKeyPairs opens the pairs of these names. The names of new keys are durable
// when it returns, before a certificate can refer to them.
func openKeyPairs(directory string, names ...string) ([]*parsedKeyPair, error) {
	pairs := make([]*parsedKeyPair, 0, len(names))
	for _, name := range names {
		pair, err := openKeyPair(directory, name)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, pair)
	}
	return pairs, syncDirectory(directory)
}

// openKeyPair reads DIR/NAME.crt and DIR/NAME.key. A missing key is created
// unless its certificate exists; a missing certificate remains nil.
func openKeyPair(directory, name string) (*parsedKeyPair, error) {
	p := &parsedKeyPair{KeyPair: KeyPair{
		CertificateFile: filepath.Join(directory, name+".crt"),
		KeyFile:         filepath.Join(directory, name+".key"),
	}}
	if err := p.readCertificate(); err != nil {
		return nil, err
	}
	if err := p.readKey(); err != nil {
		return nil, err
	}
	switch {
	case p.key == nil && p.certificate != nil:
		return nil, fmt.Errorf("%s is missing, the key of %s; restore it, or remove the certificate to have both recreated", p.KeyFile, p.CertificateFile)
	case p.key == nil:
		return p, p.createKey()
	case p.certificate != nil && !p.key.PublicKey.Equal(p.certificate.PublicKey):
		return nil, fmt.Errorf("%s is not the key of %s; %s", p.KeyFile, p.CertificateFile, p.remedy())
	}
	return p, nil
}

func (p *parsedKeyPair) remedy() string {
	return fmt.Sprintf("restore the right files, or remove %s and %s to have both recreated", p.CertificateFile, p.KeyFile)
}

func (p *parsedKeyPair) readCertificate() error {
	content, err := readIfExists(p.CertificateFile)
	if err != nil || content == nil {
		return err
	}
	certificates, err := cert.ParseCertsPEM(content)
	if err != nil {
		return fmt.Errorf("%s contains no valid certificate: %w; %s", p.CertificateFile, err, p.remedy())
	}
	if len(certificates) != 1 {
		return fmt.Errorf("%s contains %d certificates, where one is expected; %s", p.CertificateFile, len(certificates), p.remedy())
	}
	// Not the content, which may hold a private key beside the certificate.
	encoded, err := cert.EncodeCertificates(certificates...)
	p.setCertificate(certificates[0], encoded)
	return err
}

func (p *parsedKeyPair) setCertificate(certificate *x509.Certificate, encoded []byte) {
	p.certificate, p.CertificatePEM, p.NotAfter = certificate, encoded, certificate.NotAfter
}

func (p *parsedKeyPair) readKey() error {
	content, err := readIfExists(p.KeyFile)
	if err != nil || content == nil {
		return err
	}
	parsed, err := keyutil.ParsePrivateKeyPEM(content)
	if err != nil {
		return fmt.Errorf("%s contains no valid private key: %w; %s", p.KeyFile, err, p.remedy())
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || key.Curve != elliptic.P256() {
		return fmt.Errorf("%s was not created by this server: it contains a %T, where an ECDSA P-256 key is expected; %s", p.KeyFile, parsed, p.remedy())
	}
	if err := restrictFile(p.KeyFile); err != nil {
		return fmt.Errorf("%s: %w; set its mode to 0600", p.KeyFile, err)
	}
	p.key, p.KeyPEM = key, content
	return nil
}

func (p *parsedKeyPair) createKey() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	encoded := pem.EncodeToMemory(&pem.Block{Type: keyutil.PrivateKeyBlockType, Bytes: der})
	if err := writeFileAtomically(p.KeyFile, encoded, secretMode); err != nil {
		return fmt.Errorf("key %s cannot be written: %w", p.KeyFile, err)
	}
	p.key, p.KeyPEM = key, encoded
	return nil
}
