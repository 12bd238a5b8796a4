package embedded

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
)

// authorityPrefix begins the common name of every authority made here, and so
// tells our certificates from foreign ones. What follows is random, so that two
// authorities with different keys never share a name.
const authorityPrefix = "flowcontrol-apiserver-ca@"

// issuer decides at one moment which certificates of a directory will do, and
// signs the others.
type issuer struct {
	now     time.Time
	written []string
}

// leafTemplate is what a leaf certificate has to say.
type leafTemplate struct {
	subject pkix.Name
	names   subjectNames
	usage   x509.ExtKeyUsage
}

// ensureAuthority sees to it that the pair is an authority that lasts.
func (i *issuer) ensureAuthority(authority *pair) error {
	if authority.certificate == nil {
		name, err := newAuthorityName()
		if err != nil {
			return err
		}
		return i.signAuthority(authority, name, "made")
	}
	if err := checkAuthority(authority); err != nil {
		return err
	}
	if i.lastsLongEnough(authority.certificate) {
		return nil
	}
	return i.signAuthority(authority, authority.certificate.Subject, "renewed")
}

func checkAuthority(authority *pair) error {
	certificate := authority.certificate
	if !strings.HasPrefix(certificate.Subject.CommonName, authorityPrefix) {
		return fmt.Errorf("%s was not made by this server (its subject is %q); remove it and %s to have an authority made, or name yours with --client-ca-file and --tls-cert-file",
			authority.certificateFile, certificate.Subject, authority.keyFile)
	}
	if err := certificate.CheckSignatureFrom(certificate); err != nil {
		return fmt.Errorf("%s is not a certificate authority that signed itself: %w; %s", authority.certificateFile, err, authority.remedy())
	}
	return nil
}

func (i *issuer) signAuthority(authority *pair, subject pkix.Name, verb string) error {
	template := &x509.Certificate{
		Subject:               subject,
		NotBefore:             i.now.Add(-backdating),
		NotAfter:              i.now.Add(authorityLife),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
	}
	return i.sign(authority, template, template, authority.key, verb)
}

// ensureLeaf sees to it that the pair is what the template says.
func (i *issuer) ensureLeaf(leaf, authority *pair, template leafTemplate) error {
	if leaf.certificate == nil {
		return i.signLeaf(leaf, authority, template, "made")
	}
	if issuedBy := leaf.certificate.Issuer; !strings.HasPrefix(issuedBy.CommonName, authorityPrefix) {
		return fmt.Errorf("%s was not made by this server (its issuer is %q); %s, or serve your own with --tls-cert-file and --tls-private-key-file",
			leaf.certificateFile, issuedBy, leaf.remedy())
	}
	reason := i.reasonToRenew(leaf.certificate, authority.certificate, template)
	if reason == "" {
		return nil
	}
	return i.signLeaf(leaf, authority, template, "renewed ("+reason+")")
}

// reasonToRenew is empty when the certificate will do.
func (i *issuer) reasonToRenew(certificate, authority *x509.Certificate, template leafTemplate) string {
	switch {
	case certificate.CheckSignatureFrom(authority) != nil:
		return "the authority is another"
	case !i.lastsLongEnough(certificate):
		return "it is valid from " + certificate.NotBefore.UTC().Format(time.RFC3339) + " to " + certificate.NotAfter.UTC().Format(time.RFC3339)
	case certificate.Subject.String() != template.subject.String() || !slices.Equal(certificate.ExtKeyUsage, []x509.ExtKeyUsage{template.usage}):
		return "it is for another use"
	case !template.names.equal(certificate):
		return "the names and addresses have changed"
	}
	return ""
}

// lastsLongEnough holds for a certificate valid now and for the renewal margin.
// One from the future, after a clock was put back, does not.
func (i *issuer) lastsLongEnough(certificate *x509.Certificate) bool {
	return !i.now.Before(certificate.NotBefore) && !i.now.Add(renewalMargin).After(certificate.NotAfter)
}

func (i *issuer) signLeaf(leaf, authority *pair, template leafTemplate, verb string) error {
	notAfter := i.now.Add(leafLife)
	if notAfter.After(authority.certificate.NotAfter) {
		notAfter = authority.certificate.NotAfter
	}
	return i.sign(leaf, &x509.Certificate{
		Subject:               template.subject,
		NotBefore:             i.now.Add(-backdating),
		NotAfter:              notAfter,
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{template.usage},
		BasicConstraintsValid: true,
		DNSNames:              template.names.dns,
		IPAddresses:           template.names.netIPs(),
	}, authority.certificate, authority.key, verb)
}

// sign puts a new certificate for the pair's key on disk and into the pair.
func (i *issuer) sign(target *pair, template, parent *x509.Certificate, signer *ecdsa.PrivateKey, verb string) error {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return err
	}
	template.SerialNumber = serial.Add(serial, big.NewInt(1))
	der, err := x509.CreateCertificate(rand.Reader, template, parent, target.key.Public(), signer)
	if err != nil {
		return fmt.Errorf("certificate %s cannot be signed: %w", target.certificateFile, err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return fmt.Errorf("certificate %s as just signed: %w", target.certificateFile, err)
	}
	encoded := pem.EncodeToMemory(&pem.Block{Type: certificateBlock, Bytes: der})
	if err := writeFileAtomically(target.certificateFile, encoded, publicMode); err != nil {
		return fmt.Errorf("certificate %s cannot be written: %w", target.certificateFile, err)
	}
	target.certificate, target.certificatePEM = certificate, encoded
	i.written = append(i.written, target.certificateFile+" "+verb)
	return nil
}

func newAuthorityName() (pkix.Name, error) {
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return pkix.Name{}, err
	}
	return pkix.Name{CommonName: authorityPrefix + hex.EncodeToString(random)}, nil
}
