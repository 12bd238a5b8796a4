package embedded

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

const (
	certificateBlock = "CERTIFICATE"
	keyBlock         = "PRIVATE KEY"
)

// pair is a key on disk and, once signed, its certificate.
type pair struct {
	certificateFile, keyFile string
	certificatePEM, keyPEM   []byte
	certificate              *x509.Certificate
	key                      *ecdsa.PrivateKey
}

// openPairs opens the pairs of these names, and makes the names of new keys
// durable before a certificate can refer to them.
func openPairs(directory string, names ...string) ([]*pair, error) {
	pairs := make([]*pair, 0, len(names))
	for _, name := range names {
		p, err := openPair(directory, name)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
	}
	return pairs, syncDirectory(directory)
}

// openPair reads DIR/NAME.crt and DIR/NAME.key. A missing key is made, unless
// there is a certificate for it; a missing certificate is left nil.
func openPair(directory, name string) (*pair, error) {
	p := &pair{
		certificateFile: filepath.Join(directory, name+".crt"),
		keyFile:         filepath.Join(directory, name+".key"),
	}
	if err := p.readCertificate(); err != nil {
		return nil, err
	}
	if err := p.readKey(); err != nil {
		return nil, err
	}
	switch {
	case p.key == nil && p.certificate != nil:
		return nil, fmt.Errorf("%s is missing, the key of %s; restore it, or remove the certificate to have both made anew", p.keyFile, p.certificateFile)
	case p.key == nil:
		return p, p.makeKey()
	case p.certificate != nil && !p.key.PublicKey.Equal(p.certificate.PublicKey):
		return nil, fmt.Errorf("%s is not the key of %s; %s", p.keyFile, p.certificateFile, p.remedy())
	}
	return p, nil
}

func (p *pair) public() KeyPair {
	return KeyPair{
		CertificateFile: p.certificateFile,
		KeyFile:         p.keyFile,
		CertificatePEM:  p.certificatePEM,
		KeyPEM:          p.keyPEM,
		NotAfter:        p.certificate.NotAfter,
	}
}

func (p *pair) remedy() string {
	return fmt.Sprintf("restore the right files, or remove %s and %s to have both made anew", p.certificateFile, p.keyFile)
}

func (p *pair) readCertificate() error {
	content, err := readIfThere(p.certificateFile)
	if err != nil || content == nil {
		return err
	}
	block, rest := pem.Decode(content)
	if block == nil || block.Type != certificateBlock {
		return fmt.Errorf("%s holds no PEM block %q; %s", p.certificateFile, certificateBlock, p.remedy())
	}
	if next, _ := pem.Decode(rest); next != nil {
		return fmt.Errorf("%s holds more than one PEM block, where one certificate is expected; %s", p.certificateFile, p.remedy())
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return fmt.Errorf("%s holds no valid certificate: %w; %s", p.certificateFile, err, p.remedy())
	}
	p.certificate, p.certificatePEM = certificate, content
	return nil
}

func (p *pair) readKey() error {
	content, err := readIfThere(p.keyFile)
	if err != nil || content == nil {
		return err
	}
	block, _ := pem.Decode(content)
	if block == nil || block.Type != keyBlock {
		return fmt.Errorf("%s holds no PEM block %q; %s", p.keyFile, keyBlock, p.remedy())
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return fmt.Errorf("%s holds no valid private key: %w; %s", p.keyFile, err, p.remedy())
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || key.Curve != elliptic.P256() {
		return fmt.Errorf("%s was not made by this server: it holds a %T, where an ECDSA P-256 key is expected; %s", p.keyFile, parsed, p.remedy())
	}
	if err := tightenFile(p.keyFile); err != nil {
		return fmt.Errorf("%s: %w; set its mode to 0600", p.keyFile, err)
	}
	p.key, p.keyPEM = key, content
	return nil
}

func (p *pair) makeKey() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	encoded := pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: der})
	if err := writeFileAtomically(p.keyFile, encoded, secretMode); err != nil {
		return fmt.Errorf("key %s cannot be written: %w", p.keyFile, err)
	}
	p.key, p.keyPEM = key, encoded
	return nil
}

// readIfThere returns nil for a file that does not exist; one that is empty is
// returned as such, and is not the same.
func readIfThere(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w; make it readable, or remove it to have it made anew", path, err)
	}
	if content == nil {
		content = []byte{}
	}
	return content, nil
}
