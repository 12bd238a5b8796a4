package identity

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	x509request "k8s.io/apiserver/pkg/authentication/request/x509"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/utils/lru"
)

// rememberedCertificates is how many verified client certificates are remembered for a CA bundle,
// those used last.
const rememberedCertificates = 4_096

// newClientCertificates authenticates the users of client certificates.
func newClientCertificates(ca dynamiccertificates.CAContentProvider) authenticator.Request {
	return newVerifiedOnce(ca.VerifyOptions, func(options x509request.VerifyOptionFunc) authenticator.Request {
		return x509request.NewDynamic(options, x509request.CommonNameUserConversion)
	})
}

// newFrontProxy authenticates the users that a front proxy names in headers.
func newFrontProxy(config *authenticatorfactory.RequestHeaderConfig) authenticator.Request {
	return newVerifiedOnce(config.CAContentProvider.VerifyOptions, func(options x509request.VerifyOptionFunc) authenticator.Request {
		return headerrequest.NewDynamicVerifyOptionsSecure(options, config.AllowedClientNames,
			config.UsernameHeaders, config.UIDHeaders, config.GroupHeaders, config.ExtraHeaderPrefixes)
	})
}

// verifiedOnce verifies the signatures of a client certificate once for each CA bundle, since the
// library does so for each request. The library decides about every request all the same: for a
// certificate that was verified, with this certificate as the only trust anchor.
//
// Only accepted certificates are remembered. A change of the bundle forgets all of them.
type verifiedOnce struct {
	options x509request.VerifyOptionFunc
	// authenticator makes the library's authenticator.
	authenticator func(x509request.VerifyOptionFunc) authenticator.Request
	// library verifies every request.
	library authenticator.Request
	// limit is how many certificates are remembered.
	limit    int
	verified atomic.Pointer[verifiedCertificates]
}

var _ authenticator.Request = &verifiedOnce{}

func newVerifiedOnce(options x509request.VerifyOptionFunc, newAuthenticator func(x509request.VerifyOptionFunc) authenticator.Request) *verifiedOnce {
	return &verifiedOnce{options: options, authenticator: newAuthenticator, library: newAuthenticator(options), limit: rememberedCertificates}
}

// AuthenticateRequest implements authenticator.Request.
func (v *verifiedOnce) AuthenticateRequest(request *http.Request) (*authenticator.Response, bool, error) {
	if request.TLS == nil || len(request.TLS.PeerCertificates) == 0 {
		return nil, false, nil
	}
	options, ok := v.options()
	if !ok || options.Roots == nil {
		return v.library.AuthenticateRequest(request)
	}
	verified, key := v.of(options.Roots), keyOf(request.TLS.PeerCertificates)
	if known := verified.get(key); known != nil && known.valid(time.Now()) {
		return known.AuthenticateRequest(request)
	}
	response, ok, err := v.library.AuthenticateRequest(request)
	if ok {
		if known := v.verify(request.TLS.PeerCertificates, options); known != nil {
			verified.certificates.Add(key, known)
		}
	}
	return response, ok, err
}

// of returns what was verified with a CA bundle.
func (v *verifiedOnce) of(roots *x509.CertPool) *verifiedCertificates {
	current := v.verified.Load()
	if current == nil || current.roots != roots { // providers make a pool for each content
		current = &verifiedCertificates{roots: roots, certificates: lru.New(v.limit)}
		v.verified.Store(current)
	}
	return current
}

// verifiedCertificates are the certificates that were verified with one CA bundle. Holding the pool
// keeps its address from being used again.
type verifiedCertificates struct {
	roots        *x509.CertPool
	certificates *lru.Cache // of *verifiedCertificate, by keyOf
}

func (v *verifiedCertificates) get(key [sha256.Size]byte) *verifiedCertificate {
	known, _ := v.certificates.Get(key)
	certificate, _ := known.(*verifiedCertificate)
	return certificate
}

// keyOf is a hash of the certificates that a client presents: its own, and the intermediate ones,
// without which it may not be valid. Each is DER, which has its length.
func keyOf(presented []*x509.Certificate) [sha256.Size]byte {
	if len(presented) == 1 {
		return sha256.Sum256(presented[0].Raw)
	}
	hash := sha256.New()
	for _, certificate := range presented {
		_, _ = hash.Write(certificate.Raw) // never fails
	}
	return [sha256.Size]byte(hash.Sum(nil))
}

// verifiedCertificate authenticates requests with one certificate whose signatures were verified.
type verifiedCertificate struct {
	authenticator.Request
	chains []period
}

// period is the time when all certificates of a chain are valid, both ends included.
type period struct{ from, to time.Time }

// valid reports whether a verified chain is valid at a time.
func (c *verifiedCertificate) valid(at time.Time) bool {
	return slices.ContainsFunc(c.chains, func(p period) bool { return !at.Before(p.from) && !at.After(p.to) })
}

// verify returns nil if the certificate is not valid, as after a change of the bundle.
func (v *verifiedOnce) verify(presented []*x509.Certificate, options x509.VerifyOptions) *verifiedCertificate {
	if options.Intermediates == nil {
		options.Intermediates = poolOf(presented[1:])
	}
	chains, err := presented[0].Verify(options)
	if err != nil {
		return nil
	}
	// The certificate is a part of the message with all that the client presented, up to 256 KiB.
	certificate, err := x509.ParseCertificate(bytes.Clone(presented[0].Raw))
	if err != nil {
		return nil
	}
	options.Roots, options.Intermediates = poolOf([]*x509.Certificate{certificate}), x509.NewCertPool()
	known := &verifiedCertificate{Request: v.authenticator(x509request.StaticVerifierFn(options))}
	for _, chain := range chains {
		known.chains = append(known.chains, periodOf(chain))
	}
	return known
}

func poolOf(certificates []*x509.Certificate) *x509.CertPool {
	pool := x509.NewCertPool()
	for _, certificate := range certificates {
		pool.AddCert(certificate)
	}
	return pool
}

func periodOf(chain []*x509.Certificate) period {
	p := period{chain[0].NotBefore, chain[0].NotAfter}
	for _, certificate := range chain[1:] {
		if certificate.NotBefore.After(p.from) {
			p.from = certificate.NotBefore
		}
		if certificate.NotAfter.Before(p.to) {
			p.to = certificate.NotAfter
		}
	}
	return p
}
