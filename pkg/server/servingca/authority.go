package servingca

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

const (
	// lifetime is the validity of a CA that is created here. It is long since clients may have a
	// copy of its certificate. The key of a serving certificate is never stored.
	lifetime = 10 * 365 * 24 * time.Hour
	// renewBefore is the remaining validity at which a CA is replaced.
	renewBefore = 365 * 24 * time.Hour

	keyKey    = "ca.key"
	bundleKey = "ca.crt"
)

// authority is the content of the Secret.
type authority struct {
	// key and keyPEM are nil if there is no CA.
	key    crypto.Signer
	keyPEM []byte
	// certificate is the CA's, and one of the bundle.
	certificate *x509.Certificate
	bundle      []*x509.Certificate
}

// parse reads the content of the Secret. Errors say which key is wrong and what to do.
func parse(data map[string][]byte) (authority, error) {
	var a authority
	if content := data[bundleKey]; len(bytes.TrimSpace(content)) > 0 {
		var err error
		if a.bundle, err = cert.ParseCertsPEM(content); err != nil {
			return a, fmt.Errorf("%s has no valid certificate: %w; restore it, or remove %s and %s to have a CA created", bundleKey, err, bundleKey, keyKey)
		}
	}
	if a.keyPEM = data[keyKey]; len(bytes.TrimSpace(a.keyPEM)) == 0 {
		return authority{bundle: a.bundle}, nil
	}
	parsed, err := keyutil.ParsePrivateKeyPEM(a.keyPEM)
	if err != nil {
		return a, fmt.Errorf("%s has no valid private key: %w; restore it, or remove it to have a CA created", keyKey, err)
	}
	signer, ok := parsed.(crypto.Signer)
	if !ok {
		return a, fmt.Errorf("%s has a key of type %T, which cannot sign; remove it to have a CA created", keyKey, parsed)
	}
	a.key = signer
	for _, candidate := range a.bundle {
		if candidate.IsCA && samePublicKey(candidate.PublicKey, signer.Public()) {
			a.certificate = candidate
			return a, nil
		}
	}
	return a, fmt.Errorf("%s has no CA certificate of the key in %s; restore it, or remove %s to have a CA created", bundleKey, keyKey, keyKey)
}

func samePublicKey(a, b crypto.PublicKey) bool {
	key, ok := a.(interface{ Equal(crypto.PublicKey) bool })
	return ok && key.Equal(b)
}

// write puts the authority into the data of a Secret, and keeps other keys.
func (a authority) write(data map[string][]byte) (map[string][]byte, error) {
	encoded, err := cert.EncodeCertificates(a.bundle...)
	if err != nil {
		return nil, err
	}
	if data == nil {
		data = map[string][]byte{}
	}
	data[bundleKey], data[keyKey] = encoded, a.keyPEM
	return data, nil
}

// renewed returns the authority that should be in the Secret at a moment, and why it differs from
// this one; the reason is empty if it does not.
func (a authority) renewed(now time.Time) (_ authority, reason string, err error) {
	switch {
	case a.certificate == nil:
		reason = "there was none"
	case now.Add(renewBefore).After(a.certificate.NotAfter):
		reason = "the last one ends on " + a.certificate.NotAfter.UTC().Format(time.RFC3339)
	default:
		return a, "", nil
	}
	next, err := newAuthority(a.certificate, now)
	if err != nil {
		return a, "", err
	}
	// The replaced CA stays whatever the clock says: replicas serve certificates of it.
	next.bundle = append(next.bundle, slices.DeleteFunc(slices.Clone(a.bundle), func(old *x509.Certificate) bool {
		return now.After(old.NotAfter) && !old.Equal(a.certificate)
	})...)
	return next, reason, nil
}

// newAuthority returns a new CA that replaces another, which may be nil.
func newAuthority(replaced *x509.Certificate, now time.Time) (authority, error) {
	key, keyPEM, err := embedded.NewKey()
	if err != nil {
		return authority{}, err
	}
	// CAs with different keys have different names: clients look for the issuer by name.
	suffix := make([]byte, 8)
	if _, err := rand.Read(suffix); err != nil {
		return authority{}, err
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "flowcontrol-apiserver-ca@" + hex.EncodeToString(suffix)},
		NotBefore:             time.Unix(0, 0),
		NotAfter:              now.Add(lifetime),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
	}
	if replaced != nil && replaced.NotAfter.After(template.NotAfter) {
		template.NotAfter = replaced.NotAfter
	}
	certificate, err := embedded.Sign(template, template, key, key)
	if err != nil {
		return authority{}, err
	}
	return authority{key: key, keyPEM: keyPEM, certificate: certificate, bundle: []*x509.Certificate{certificate}}, nil
}

// issue returns a serving certificate for the names, and its key, as PEM.
func (a authority) issue(names []string) (certificate, key []byte, err error) {
	private, key, err := embedded.NewKey()
	if err != nil {
		return nil, nil, err
	}
	signed, err := embedded.Sign(&x509.Certificate{
		Subject:               pkix.Name{CommonName: "flowcontrol-apiserver"},
		NotBefore:             a.certificate.NotBefore,
		NotAfter:              a.certificate.NotAfter,
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		DNSNames:              names,
	}, a.certificate, private, a.key)
	if err != nil {
		return nil, nil, err
	}
	certificate, err = cert.EncodeCertificates(signed)
	return certificate, key, err
}

// contains reports whether a bundle has all certificates.
func contains(bundle, certificates []*x509.Certificate) bool {
	return !slices.ContainsFunc(certificates, func(wanted *x509.Certificate) bool { return !slices.ContainsFunc(bundle, wanted.Equal) })
}

// merged returns the bundle with what another bundle has in addition and is valid.
func merged(bundle, other []*x509.Certificate, now time.Time) []*x509.Certificate {
	result := slices.Clone(bundle)
	for _, certificate := range other {
		if !now.After(certificate.NotAfter) && !slices.ContainsFunc(result, certificate.Equal) {
			result = append(result, certificate)
		}
	}
	return result
}
