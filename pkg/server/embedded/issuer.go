package embedded

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// caNamePrefix begins the common name of every CA created here and identifies
	// its certificates. A random suffix follows, so that two CAs with different
	// keys have different names.
	caNamePrefix = "flowcontrol-apiserver-ca@"

	caLifetime   = 10 * 365 * 24 * time.Hour
	leafLifetime = 365 * 24 * time.Hour
	// renewalMargin is the minimum remaining validity of a leaf certificate after a
	// check.
	renewalMargin = 30 * 24 * time.Hour
	// caRenewalMargin is the CA's: a client that copies ca.crt together with a certificate can use
	// both to the end of the certificate: no leaf outlives the CA.
	caRenewalMargin = leafLifetime
	// missingReason is the reason for the first certificate of a name.
	missingReason = "did not exist"
	// backdating lets clients whose clocks are slow accept a new certificate.
	backdating = 5 * time.Minute
)

// issuer issues and renews the certificates of a directory at one moment.
type issuer struct {
	directory string
	now       time.Time
	renewals  []Renewal
}

// leafTemplate is the required content of a leaf certificate.
type leafTemplate struct {
	subject pkix.Name
	names   subjectAltNames
	usage   x509.ExtKeyUsage
}

// ensureCA returns the CA, and creates or renews its certificate if necessary.
func (i *issuer) ensureCA() (*parsedKeyPair, error) {
	ca, err := openKeyPair(i.directory, CACertificate)
	if err != nil {
		return nil, err
	}
	if ca.certificate == nil {
		name, err := newCAName()
		if err != nil {
			return nil, err
		}
		return ca, i.signCA(ca, name, missingReason)
	}
	if err := checkCA(ca); err != nil {
		return nil, err
	}
	if i.staysValid(ca.certificate, caRenewalMargin) {
		return ca, nil
	}
	return ca, i.signCA(ca, ca.certificate.Subject, i.validityReason(ca.certificate))
}

func checkCA(ca *parsedKeyPair) error {
	certificate := ca.certificate
	if !strings.HasPrefix(certificate.Subject.CommonName, caNamePrefix) {
		return fmt.Errorf("%s was not created by this server (its subject is %q); move it and %s away to have a CA created, or name yours with --client-ca-file and --tls-cert-file",
			ca.CertificateFile, certificate.Subject, ca.KeyFile)
	}
	if err := certificate.CheckSignatureFrom(certificate); err != nil {
		return fmt.Errorf("%s is not a self-signed CA certificate: %w; %s", ca.CertificateFile, err, ca.remedy())
	}
	return nil
}

func (i *issuer) signCA(ca *parsedKeyPair, subject pkix.Name, reason string) error {
	notBefore, notAfter := i.validity(ca.certificate, caLifetime)
	template := &x509.Certificate{
		Subject:               subject,
		NotBefore:             notBefore,
		NotAfter:              notAfter,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
	}
	return i.sign(ca, template, template, ca.key, reason)
}

// ensureLeaf returns the pair of this name, empty on error. It issues or renews a certificate
// that is missing or does not match the template.
func (i *issuer) ensureLeaf(name string, ca *parsedKeyPair, template leafTemplate) (KeyPair, error) {
	leaf, err := openKeyPair(i.directory, name)
	if err == nil {
		err = i.matchLeaf(leaf, ca, template)
	}
	if err != nil {
		return KeyPair{}, err
	}
	return leaf.KeyPair, nil
}

func (i *issuer) matchLeaf(leaf, ca *parsedKeyPair, template leafTemplate) error {
	if leaf.certificate == nil {
		return i.signLeaf(leaf, ca, template, nil, missingReason)
	}
	if err := checkLeaf(leaf); err != nil {
		return err
	}
	replaced := leaf.certificate
	if replaced.CheckSignatureFrom(ca.certificate) != nil {
		return i.signLeaf(leaf, ca, template, nil, "issued by another CA")
	}
	if reason := i.renewalReason(replaced, template); reason != "" {
		return i.signLeaf(leaf, ca, template, replaced, reason)
	}
	return nil
}

func checkLeaf(leaf *parsedKeyPair) error {
	if issuedBy := leaf.certificate.Issuer; !strings.HasPrefix(issuedBy.CommonName, caNamePrefix) {
		return fmt.Errorf("%s was not created by this server (its issuer is %q); %s, or serve your own with --tls-cert-file and --tls-private-key-file",
			leaf.CertificateFile, issuedBy, leaf.remedy())
	}
	return nil
}

// renewalReason is empty if the certificate need not be renewed.
func (i *issuer) renewalReason(certificate *x509.Certificate, template leafTemplate) string {
	switch {
	case !i.staysValid(certificate, renewalMargin):
		return i.validityReason(certificate)
	case certificate.Subject.String() != template.subject.String() || !slices.Equal(certificate.ExtKeyUsage, []x509.ExtKeyUsage{template.usage}):
		return "issued for another use"
	case !slices.Equal(template.names, namesOf(certificate)):
		return "names or addresses changed"
	}
	return ""
}

// staysValid reports whether a certificate is valid from now until the end of the
// margin. A certificate from the future, after the clock was set back, is not.
func (i *issuer) staysValid(certificate *x509.Certificate, margin time.Duration) bool {
	return !i.now.Before(certificate.NotBefore) && !i.now.Add(margin).After(certificate.NotAfter)
}

func (i *issuer) validityReason(certificate *x509.Certificate) string {
	text := func(moment time.Time) string { return moment.UTC().Format(time.RFC3339) }
	return fmt.Sprintf("valid from %s to %s at %s", text(certificate.NotBefore), text(certificate.NotAfter), text(i.now))
}

// validity returns the validity of a certificate that replaces another, which may be nil. It covers
// the other's: after a time with a wrong clock the certificate is still valid.
func (i *issuer) validity(replaced *x509.Certificate, lifetime time.Duration) (notBefore, notAfter time.Time) {
	notBefore, notAfter = i.now.Add(-backdating), i.now.Add(lifetime)
	if replaced == nil {
		return notBefore, notAfter
	}
	if replaced.NotBefore.Before(notBefore) {
		notBefore = replaced.NotBefore
	}
	if replaced.NotAfter.After(notAfter) {
		notAfter = replaced.NotAfter
	}
	return notBefore, notAfter
}

func (i *issuer) signLeaf(leaf, ca *parsedKeyPair, template leafTemplate, replaced *x509.Certificate, reason string) error {
	notBefore, notAfter := i.validity(replaced, leafLifetime)
	certificate := &x509.Certificate{
		Subject:               template.subject,
		NotBefore:             notBefore,
		NotAfter:              notAfter,
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{template.usage},
		BasicConstraintsValid: true,
	}
	template.names.set(certificate)
	return i.sign(leaf, certificate, ca.certificate, ca.key, reason)
}

// sign writes a new certificate for the key of target and sets it there.
func (i *issuer) sign(target *parsedKeyPair, template, parent *x509.Certificate, key *ecdsa.PrivateKey, reason string) error {
	certificate, err := Sign(template, parent, target.key, key)
	if err != nil {
		return fmt.Errorf("certificate %s: %w", target.CertificateFile, err)
	}
	if err := target.setCertificate(certificate); err != nil {
		return err
	}
	if err := writeFileAtomically(target.CertificateFile, target.CertificatePEM, publicMode); err != nil {
		return fmt.Errorf("certificate %s cannot be written: %w", target.CertificateFile, err)
	}
	i.renewals = append(i.renewals, Renewal{Certificate: target.name, File: target.CertificateFile, Reason: reason, NotAfter: target.NotAfter})
	return nil
}

func newCAName() (pkix.Name, error) {
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return pkix.Name{}, err
	}
	return pkix.Name{CommonName: caNamePrefix + hex.EncodeToString(random)}, nil
}
