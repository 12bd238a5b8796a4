package identity

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	jose "gopkg.in/go-jose/go-jose.v2"
)

// issuer is an OpenID Connect issuer on the loopback with one key.
type issuer struct {
	t         *testing.T
	web       *httptest.Server
	ca        *testCA
	key       crypto.Signer
	algorithm jose.SignatureAlgorithm
	// silent makes the issuer answer only with errors.
	silent atomic.Bool
}

func newRS256Issuer(t *testing.T) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	return newIssuer(t, key, jose.RS256)
}

func newES256Issuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return newIssuer(t, key, jose.ES256)
}

func newIssuer(t *testing.T, key crypto.Signer, algorithm jose.SignatureAlgorithm) *issuer {
	t.Helper()
	result := &issuer{t: t, ca: newCA(t, "issuer"), key: key, algorithm: algorithm}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]string{"issuer": result.web.URL, "jwks_uri": result.web.URL + "/keys"})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Use: "sig", Algorithm: string(algorithm)}}})
	})
	result.web = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if result.silent.Load() {
			http.Error(w, "silent", http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, req)
	}))
	result.web.TLS = &tls.Config{Certificates: []tls.Certificate{*result.ca.server()}}
	result.web.StartTLS()
	t.Cleanup(result.web.Close)
	return result
}

func (i *issuer) url() string { return i.web.URL }

// token signs a token for the audience "flowcontrol" that is valid for an hour.
func (i *issuer) token(subject string) string {
	i.t.Helper()
	claims := map[string]any{"iss": i.url(), "aud": "flowcontrol", "sub": subject, "exp": time.Now().Add(time.Hour).Unix()}
	payload, err := json.Marshal(claims)
	require.NoError(i.t, err)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: i.algorithm, Key: jose.JSONWebKey{Key: i.key, KeyID: "k"}}, nil)
	require.NoError(i.t, err)
	signed, err := signer.Sign(payload)
	require.NoError(i.t, err)
	compact, err := signed.CompactSerialize()
	require.NoError(i.t, err)
	return compact
}
