package embedded

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// KeyPair is a certificate with its private key, on disk and in memory.
type KeyPair struct {
	// CertificateFile and KeyFile are absolute paths, modes 0644 and 0600.
	CertificateFile, KeyFile string
	// CertificatePEM and KeyPEM are the contents of these files. The CA's certificate file may
	// be a bundle; one certificate in it belongs to the key.
	CertificatePEM, KeyPEM []byte
	// NotAfter is the end of the validity of the key's certificate.
	NotAfter time.Time
}

// parsedKeyPair is a KeyPair with its key and, once issued, its certificate.
type parsedKeyPair struct {
	KeyPair
	name        string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	// others are the further certificates of a CA bundle, which an administrator adds so that
	// clients trust another CA too. Renewal keeps them.
	others []*x509.Certificate
}

// openKeyPair reads DIR/NAME.crt and DIR/NAME.key. A missing certificate remains nil. A missing
// key is created, unless its certificate exists, which is an error.
func openKeyPair(directory, name string) (*parsedKeyPair, error) {
	p := &parsedKeyPair{name: name, KeyPair: KeyPair{
		CertificateFile: filepath.Join(directory, name+".crt"),
		KeyFile:         filepath.Join(directory, name+".key"),
	}}
	if err := p.readKey(); err != nil {
		return nil, err
	}
	if err := p.readCertificate(); err != nil {
		return nil, err
	}
	switch {
	case p.certificate == nil && p.key == nil:
		return p, p.createKey()
	case p.certificate == nil:
		return p, nil
	case p.key == nil:
		return nil, fmt.Errorf("%s is missing, the key of %s; restore it, or move the certificate away to have both created again", p.KeyFile, p.CertificateFile)
	case !p.key.PublicKey.Equal(p.certificate.PublicKey):
		return nil, fmt.Errorf("%s is not the key of %s; %s", p.KeyFile, p.CertificateFile, p.remedy())
	}
	return p, nil
}

func (p *parsedKeyPair) remedy() string {
	return fmt.Sprintf("restore the right files, or move %s and %s away to have both created again", p.CertificateFile, p.KeyFile)
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
	own := 0
	if p.name != CACertificate && len(certificates) != 1 {
		return fmt.Errorf("%s contains %d certificates, where one is expected; %s", p.CertificateFile, len(certificates), p.remedy())
	}
	if p.key != nil {
		own = max(0, slices.IndexFunc(certificates, func(c *x509.Certificate) bool { return p.key.PublicKey.Equal(c.PublicKey) }))
	}
	p.others = slices.Delete(slices.Clone(certificates), own, own+1)
	return p.setCertificate(certificates[own])
}

// setCertificate makes a certificate the key's. CertificatePEM has no private key that a file
// may hold beside certificates.
func (p *parsedKeyPair) setCertificate(certificate *x509.Certificate) error {
	encoded, err := cert.EncodeCertificates(append([]*x509.Certificate{certificate}, p.others...)...)
	if err != nil {
		return fmt.Errorf("certificate %s cannot be encoded: %w", p.CertificateFile, err)
	}
	p.certificate, p.CertificatePEM, p.NotAfter = certificate, encoded, certificate.NotAfter
	return nil
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

// createKey makes a key whose name is durable before a certificate refers to it.
func (p *parsedKeyPair) createKey() error {
	key, encoded, err := NewKey()
	if err != nil {
		return err
	}
	if err := writeFileAtomically(p.KeyFile, encoded, secretMode); err != nil {
		return fmt.Errorf("key %s cannot be written: %w", p.KeyFile, err)
	}
	p.key, p.KeyPEM = key, encoded
	return SyncDirectory(filepath.Dir(p.KeyFile))
}
