package identity

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// pair is a certificate and its key.
type pair struct {
	*x509.Certificate
	key crypto.Signer
}

// issue returns a certificate that an issuer signs, nil for a self-signed one, valid from now on.
func issue(t *testing.T, name string, issuer *pair, ca bool, lifetime time.Duration) *pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return reissue(t, name, &pair{key: key}, issuer, ca, lifetime)
}

// reissue returns a certificate for the key of another one.
func reissue(t *testing.T, name string, of, issuer *pair, ca bool, lifetime time.Duration) *pair {
	t.Helper()
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name, Organization: []string{"group of " + name}},
		NotBefore: time.Now(), NotAfter: time.Now().Add(lifetime), BasicConstraintsValid: true, IsCA: ca,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	result := &pair{key: of.key}
	if issuer == nil {
		issuer = &pair{template, of.key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer.Certificate, of.key.Public(), issuer.key)
	require.NoError(t, err)
	result.Certificate, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	return result
}

// bundle is a CA bundle that counts the chains built to it. A nil pool is a bundle that was not read yet.
type bundle struct {
	dynamiccertificates.CAContentProvider
	pool     *x509.CertPool
	verified int
}

// use replaces the content, as the library's providers do when it has changed.
func (b *bundle) use(cas ...*pair) {
	b.pool = x509.NewCertPool()
	for _, ca := range cas {
		b.pool.AddCertWithConstraint(ca.Certificate, func([]*x509.Certificate) error { b.verified++; return nil })
	}
}

// VerifyOptions implements dynamiccertificates.CAContentProvider.
func (b *bundle) VerifyOptions() (x509.VerifyOptions, bool) {
	return x509.VerifyOptions{Roots: b.pool, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, b.pool != nil
}

// names are the common names of front proxies that may change.
type names struct{ allowed []string }

// Value implements headerrequest.StringSliceProvider.
func (n *names) Value() []string { return n.allowed }

func frontProxyOf(ca *bundle, allowed *names) *authenticatorfactory.RequestHeaderConfig {
	headers := func(names ...string) headerrequest.StringSliceProvider { return headerrequest.StaticStringSlice(names) }
	return &authenticatorfactory.RequestHeaderConfig{
		CAContentProvider: ca, UsernameHeaders: headers("X-Remote-User"), UIDHeaders: headers("X-Remote-Uid"),
		GroupHeaders: headers("X-Remote-Group"), ExtraHeaderPrefixes: headers("X-Remote-Extra-"), AllowedClientNames: allowed,
	}
}

// ask authenticates a request through a front proxy or of its own, with these certificates.
func ask(with authenticator.Request, presented ...*pair) (*authenticator.Response, bool, error) {
	request := httptest.NewRequest(http.MethodGet, objects, nil)
	request.Header.Set("X-Remote-User", "alice")
	request.TLS = &tls.ConnectionState{}
	for _, certificate := range presented {
		request.TLS.PeerCertificates = append(request.TLS.PeerCertificates, certificate.Certificate)
	}
	return with.AuthenticateRequest(request)
}

// kinds are the two kinds of client certificates, with one bundle, and the user that each request has.
func kinds(client string, allowed *names) map[string]func(*bundle) (made authenticator.Request, user string) {
	return map[string]func(*bundle) (authenticator.Request, string){
		"client CA": func(b *bundle) (authenticator.Request, string) { return newClientCertificates(b), client },
		"requestheader CA": func(b *bundle) (authenticator.Request, string) {
			return newFrontProxy(frontProxyOf(b, allowed)), "alice"
		},
	}
}

// Each kind is asked as the server has it, with an authenticator for the other kind beside it.
func TestACertificateIsVerifiedOnceAndRejectedAtTheNextRequest(t *testing.T) {
	for kind, newKind := range kinds("front", &names{}) {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				root := issue(t, "root", nil, true, 10*time.Hour)
				client := issue(t, "front", root, false, 5*time.Hour)
				ca := &bundle{}
				made, user := newKind(ca)
				_, ok, err := ask(made, client)
				require.False(t, ok, "no bundle was read yet")
				require.NoError(t, err)

				ca.use(root)
				accepted := func() {
					t.Helper()
					response, ok, err := ask(made, client)
					require.NoError(t, err)
					require.True(t, ok)
					require.Equal(t, user, response.User.GetName())
				}
				accepted()
				first := ca.verified
				require.Positive(t, first)
				for range 5 {
					accepted()
				}
				require.Equal(t, first, ca.verified, "verified once")

				ca.use(issue(t, "root", nil, true, time.Hour))
				_, ok, err = ask(made, client)
				require.False(t, ok)
				require.ErrorContains(t, err, "unknown authority", "the CA was removed")
				ca.use(root)
				accepted()
				require.Equal(t, 2*first, ca.verified, "a changed bundle forgets all")

				<-time.After(5 * time.Hour)
				accepted()
				<-time.After(time.Second)
				_, ok, err = ask(made, client)
				require.False(t, ok)
				require.ErrorContains(t, err, "certificate has expired")
			})
		})
	}
}

func TestCertificatesAreVerifiedOnceBehindAKubeAPIServer(t *testing.T) {
	root, proxies := issue(t, "root", nil, true, time.Hour), issue(t, "proxies", nil, true, time.Hour)
	users, front := &bundle{}, &bundle{}
	users.use(root)
	front.use(proxies)
	made := NewOptions().newDelegatedAuthenticator(authenticatorfactory.DelegatingAuthenticatorConfig{
		ClientCertificateCAContentProvider: users, RequestHeaderConfig: frontProxyOf(front, &names{}),
	}, newLimitedTokens(nil))
	for certificate, want := range map[*pair]string{issue(t, "bob", root, false, time.Hour): "bob", issue(t, "front", proxies, false, time.Hour): "alice"} {
		_, ok, err := ask(made, certificate)
		require.NoError(t, err)
		require.True(t, ok)
		before := users.verified + front.verified
		response, _, err := ask(made, certificate)
		require.NoError(t, err)
		require.Equal(t, want, response.User.GetName())
		require.Equal(t, before, users.verified+front.verified)
	}
}

func TestANameThatIsNoLongerAllowedIsRejectedAtTheNextRequest(t *testing.T) {
	root := issue(t, "root", nil, true, time.Hour)
	front, ca, allowed := issue(t, "front", root, false, time.Hour), &bundle{}, &names{[]string{"front"}}
	ca.use(root)
	made := newFrontProxy(frontProxyOf(ca, allowed))
	for range 2 {
		_, ok, err := ask(made, front)
		require.NoError(t, err)
		require.True(t, ok)
	}
	allowed.allowed = []string{"other"}
	_, ok, err := ask(made, front)
	require.False(t, ok)
	require.ErrorContains(t, err, "cn=front is not in the allowed list")
}

func TestACertificateIsRejectedWhenAnIssuerHasExpired(t *testing.T) {
	for kind, newKind := range kinds("front", &names{}) {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				root, other := issue(t, "root", nil, true, 3*time.Hour), issue(t, "other", nil, true, 9*time.Hour)
				issuer := issue(t, "issuer", root, true, 2*time.Hour)
				cross := reissue(t, "issuer", issuer, other, true, 5*time.Hour)
				client := issue(t, "front", issuer, false, 9*time.Hour)
				direct := issue(t, "front", root, false, 9*time.Hour)
				ca := &bundle{}
				ca.use(root, other)
				made, _ := newKind(ca)
				accepts := func(presented ...*pair) bool {
					_, ok, err := ask(made, presented...)
					require.Equal(t, ok, err == nil)
					return ok
				}
				require.True(t, accepts(client, issuer))
				require.True(t, accepts(client, issuer, cross))
				require.True(t, accepts(direct))
				require.False(t, accepts(client), "it is not valid without its issuer")

				<-time.After(150 * time.Minute)
				require.False(t, accepts(client, issuer), "an intermediate certificate has expired")
				require.True(t, accepts(client, issuer, cross), "another chain is valid")
				require.True(t, accepts(direct))

				<-time.After(time.Hour)
				require.False(t, accepts(direct), "the CA has expired")
				<-time.After(2 * time.Hour)
				require.False(t, accepts(client, issuer, cross))
			})
		})
	}
}

// TestDecisionsAreTheLibrarys asks both with random certificates, bundles, allowed names and times.
func TestDecisionsAreTheLibrarys(t *testing.T) {
	seed := lane.Seed(t)
	allowed := &names{}
	for kind, newKind := range kinds("a", allowed) {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				random := mathrand.New(mathrand.NewPCG(seed, 0))
				hours := func() time.Duration { return time.Duration(1+random.IntN(20)) * time.Hour }
				var cas, clients []*pair
				for range 3 {
					cas = append(cas, issue(t, "root", nil, true, hours()))
				}
				for _, root := range cas {
					intermediate := issue(t, "intermediate", root, true, hours())
					cas = append(cas, intermediate, reissue(t, "intermediate", intermediate, cas[0], true, hours()))
				}
				for i := range 20 {
					clients = append(clients, issue(t, string(rune('a'+i%3)), cas[random.IntN(len(cas))], false, hours()))
				}
				ca := &bundle{}
				made, _ := newKind(ca)
				made.(*verifiedOnce).limit = 8
				decided := map[bool]int{}
				for range 2000 {
					switch random.IntN(50) {
					case 0:
						ca.use(cas[random.IntN(len(cas))], cas[random.IntN(len(cas))])
					case 1:
						<-time.After(20 * time.Minute)
					case 2:
						allowed.allowed = [][]string{nil, {"a", "b"}, {"c"}}[random.IntN(3)]
					}
					presented := []*pair{clients[random.IntN(len(clients))]}
					for range random.IntN(4) {
						presented = append(presented, cas[random.IntN(len(cas))])
					}
					want, wantOK, wantErr := ask(made.(*verifiedOnce).library, presented...)
					got, ok, err := ask(made, presented...)
					require.Equal(t, wantOK, ok, "%v, %v", wantErr, err)
					require.Equal(t, want, got)
					require.Equal(t, wantErr == nil, err == nil)
					decided[ok]++
				}
				require.Greater(t, decided[true], 100)
				require.Greater(t, decided[false], 100)
			})
		})
	}
}

func TestRememberedCertificatesAreBounded(t *testing.T) {
	root, ca := issue(t, "root", nil, true, time.Hour), &bundle{}
	ca.use(root)
	made := newVerifiedOnce(ca.VerifyOptions, newClientCertificates(ca).(*verifiedOnce).authenticator)
	require.Equal(t, rememberedCertificates, made.limit)
	made.limit = 3
	var clients []*pair
	for range 5 {
		clients = append(clients, issue(t, "client", root, false, time.Hour))
	}
	for _, client := range clients {
		_, ok, err := ask(made, client)
		require.NoError(t, err)
		require.True(t, ok)
	}
	require.Equal(t, 3, made.verified.Load().certificates.Len())
	_, ok, err := ask(made, issue(t, "client", issue(t, "root", nil, true, time.Hour), false, time.Hour))
	require.False(t, ok)
	require.Error(t, err)
	require.Equal(t, 3, made.verified.Load().certificates.Len(), "rejected certificates take no place")
	known := slices.ContainsFunc(clients[:2], func(client *pair) bool {
		return made.verified.Load().get(keyOf([]*x509.Certificate{client.Certificate})) != nil
	})
	require.False(t, known, "the ones used last are remembered")
}

// A client may present 256 KiB in one message. Its certificate is a part of that message.
func TestARememberedCertificateHoldsNothingThatWasPresentedWithIt(t *testing.T) {
	root, ca := issue(t, "root", nil, true, time.Hour), &bundle{}
	ca.use(root)
	made := newClientCertificates(ca)
	present := func() weak.Pointer[byte] {
		client := issue(t, "client", root, false, time.Hour)
		message := append(bytes.Clone(client.Raw), make([]byte, 1<<18)...)
		var err error
		client.Certificate, err = x509.ParseCertificate(message[:len(client.Raw)])
		require.NoError(t, err)
		for range 2 {
			_, ok, err := ask(made, client)
			require.NoError(t, err)
			require.True(t, ok)
		}
		return weak.Make(&message[0])
	}
	message := present()
	runtime.GC()
	require.Nil(t, message.Value())
	runtime.KeepAlive(made)
}

// BenchmarkClientCertificate compares a request whose certificate was verified before with the library's.
func BenchmarkClientCertificate(b *testing.B) {
	root, ca := newCA(b, "root"), &bundle{pool: x509.NewCertPool()}
	ca.pool.AppendCertsFromPEM(root.pem)
	client, err := x509.ParseCertificate(root.client("client").Certificate[0])
	require.NoError(b, err)
	made := newClientCertificates(ca)
	for name, with := range map[string]authenticator.Request{"remembered": made, "library": made.(*verifiedOnce).library} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, ok, err := ask(with, &pair{Certificate: client})
				require.NoError(b, err)
				require.True(b, ok)
			}
		})
	}
}
