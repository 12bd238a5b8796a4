package renewal

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/utils/clock"
)

const (
	// certManagerAnnotation is on the Secrets that cert-manager renews.
	certManagerAnnotation = "cert-manager.io/certificate-name"
	// secretBackdating lets clients whose clocks are slow accept a new certificate.
	secretBackdating = 5 * time.Minute
	caBundleKey      = "ca.crt"
)

// Secrets renews certificates in Secrets of the type kubernetes.io/tls, in one namespace.
// All fields are required.
type Secrets struct {
	Client corev1client.SecretInterface
	// CA is the name of the Secret with the CA that signs them.
	CA string
	// Duration is for how long a renewed certificate is valid, and RenewBefore how long
	// before its end it is renewed.
	Duration, RenewBefore time.Duration
	Clock                 clock.PassiveClock
}

// SecretResult is what happened to a Secret.
type SecretResult struct {
	// NotAfter is the end of the certificate in the Secret, zero if there is no Secret.
	NotAfter time.Time
	// Renewed is set if the certificate was renewed.
	Renewed bool
	// Left says why the Secret was left alone, although it may be near its end.
	Left string
}

// Renew renews the certificate in the Secret of this name if it is near its end: with a new key,
// and with the subject, the names and the usages that it has. Renew leaves a Secret alone that does
// not exist, that cert-manager renews, or with a certificate of another CA. An error names the
// Secret and what to do.
func (s *Secrets) Renew(ctx context.Context, name string) (SecretResult, error) {
	ca, err := s.ca(ctx)
	if err != nil {
		return SecretResult{}, err
	}
	secret, err := s.Client.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return SecretResult{Left: "it does not exist"}, nil
	}
	if err != nil {
		return SecretResult{}, fmt.Errorf("reading Secret %s: %w", name, err)
	}
	old, err := keyPair(secret)
	if err != nil {
		return SecretResult{}, fmt.Errorf("%w: restore it, or keep a copy and issue it again", err)
	}
	result := SecretResult{NotAfter: old.Leaf.NotAfter}
	now := s.Clock.Now()
	switch {
	case secret.Annotations[certManagerAnnotation] != "":
		result.Left = "cert-manager renews it"
		return result, nil
	case !signedBy(old.Leaf, ca.Leaf):
		result.Left = "the CA in Secret " + s.CA + " has not signed it"
		return result, nil
	case !now.Before(old.Leaf.NotBefore) && !now.Add(s.RenewBefore).After(old.Leaf.NotAfter):
		return result, nil
	}
	template := s.template(old.Leaf, ca.Leaf, now)
	if err := sign(secret, template, ca); err != nil {
		return result, fmt.Errorf("signing the certificate of Secret %s: %w", name, err)
	}
	if _, err := s.Client.Update(ctx, secret, metav1.UpdateOptions{}); err != nil {
		return result, fmt.Errorf("writing Secret %s: %w", name, err)
	}
	return SecretResult{NotAfter: template.NotAfter, Renewed: true}, nil
}

// signedBy reports whether a CA has signed a certificate.
func signedBy(certificate, ca *x509.Certificate) bool {
	return certificate.CheckSignatureFrom(ca) == nil
}

// ca returns the CA, which must be valid: certificates that end with it are not worth
// signing.
func (s *Secrets) ca(ctx context.Context) (tls.Certificate, error) {
	secret, err := s.Client.Get(ctx, s.CA, metav1.GetOptions{})
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("reading Secret %s, which has the CA: %w", s.CA, err)
	}
	ca, err := keyPair(secret)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("%w: restore it", err)
	}
	if !ca.Leaf.IsCA {
		return tls.Certificate{}, fmt.Errorf("the certificate in Secret %s is no CA certificate: name the Secret of the CA", s.CA)
	}
	if s.Clock.Now().Add(s.RenewBefore).After(ca.Leaf.NotAfter) {
		return tls.Certificate{}, fmt.Errorf("the CA in Secret %s ends at %s, too early to sign with it: replace it as certificates.sh says",
			s.CA, ca.Leaf.NotAfter.UTC().Format(time.RFC3339))
	}
	return ca, nil
}

// keyPair returns the certificate and key in a Secret.
func keyPair(secret *corev1.Secret) (tls.Certificate, error) {
	pair, err := tls.X509KeyPair(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey])
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("the Secret %s has no certificate with its key: %w", secret.Name, err)
	}
	return pair, nil
}

// template is the certificate that replaces old. It begins no later than old, so that
// one that was signed while a clock was ahead is valid when the clock is right again.
func (s *Secrets) template(old, ca *x509.Certificate, now time.Time) *x509.Certificate {
	notBefore, notAfter := now.Add(-secretBackdating), now.Add(s.Duration)
	if old.NotBefore.Before(notBefore) {
		notBefore = old.NotBefore
	}
	if notAfter.After(ca.NotAfter) {
		notAfter = ca.NotAfter
	}
	return &x509.Certificate{
		Subject:               old.Subject,
		NotBefore:             notBefore,
		NotAfter:              notAfter,
		KeyUsage:              old.KeyUsage,
		ExtKeyUsage:           old.ExtKeyUsage,
		BasicConstraintsValid: true,
		DNSNames:              old.DNSNames,
		IPAddresses:           old.IPAddresses,
		URIs:                  old.URIs,
	}
}

// sign puts a new key and the certificate of the template into secret. The CA bundle there keeps
// what it has, so that a bundle for the change to another CA survives, and gets the CA if it lacks it.
func sign(secret *corev1.Secret, template *x509.Certificate, ca tls.Certificate) (err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return err
	}
	signer, ok := ca.PrivateKey.(crypto.Signer)
	if !ok {
		return fmt.Errorf("the key of the CA is a %T, which cannot sign", ca.PrivateKey)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca.Leaf, key.Public(), signer)
	if err != nil {
		return err
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	secret.Data[caBundleKey] = bundleWith(secret.Data[caBundleKey], ca.Leaf)
	secret.Data[corev1.TLSCertKey] = pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: der})
	secret.Data[corev1.TLSPrivateKeyKey] = pem.EncodeToMemory(&pem.Block{Type: keyutil.PrivateKeyBlockType, Bytes: pkcs8})
	return nil
}

// bundleWith returns a bundle with a CA in it: the bundle as it is if it has the CA, or the CA
// followed by the bundle's certificates.
func bundleWith(bundle []byte, ca *x509.Certificate) []byte {
	encoded := pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: ca.Raw})
	certificates, err := cert.ParseCertsPEM(bundle)
	switch {
	case err != nil: // no certificate, or one that no client can read
		return encoded
	case slices.ContainsFunc(certificates, ca.Equal):
		return bundle
	default:
		return append(encoded, bundle...)
	}
}
