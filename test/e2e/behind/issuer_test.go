package behind

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	jose "gopkg.in/go-jose/go-jose.v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// issuer is an OpenID Connect issuer on the loopback.
type issuer struct {
	authority *harness.CA
	url       string
	key       *rsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	i := &issuer{authority: harness.NewCA(t, "issuer-ca"), key: key}
	pair := i.authority.Server(t, "issuer")
	certificate, err := tls.LoadX509KeyPair(pair.CertFile, pair.KeyFile)
	require.NoError(t, err)
	web := httptest.NewUnstartedServer(i)
	web.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}
	web.StartTLS()
	t.Cleanup(web.Close)
	i.url = web.URL
	return i
}

// ServeHTTP serves the discovery document and the key set of the issuer.
func (i *issuer) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.URL.Path == "/.well-known/openid-configuration" {
		writeJSON(w, map[string]string{"issuer": i.url, "jwks_uri": i.url + "/keys"})
		return
	}
	key := jose.JSONWebKey{Key: i.key.Public(), KeyID: "k", Use: "sig", Algorithm: string(jose.RS256)}
	writeJSON(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{key}})
}

func (i *issuer) kubeAPIServerArgs() []string {
	return []string{
		"--oidc-issuer-url=" + i.url,
		"--oidc-ca-file=" + i.authority.CertFile,
		"--oidc-client-id=cluster",
		"--oidc-username-claim=sub",
		"--oidc-username-prefix=oidc:",
		"--oidc-groups-claim=groups",
		"--oidc-groups-prefix=oidc:",
	}
}

// token returns a token of a user.
func (i *issuer) token(t *testing.T, user string, groups ...string) credential {
	t.Helper()
	payload, err := json.Marshal(map[string]any{
		"iss": i.url, "aud": "cluster", "sub": user, "groups": groups, "exp": time.Now().Add(time.Hour).Unix(),
	})
	require.NoError(t, err)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: i.key, KeyID: "k"}}, nil)
	require.NoError(t, err)
	signed, err := signer.Sign(payload)
	require.NoError(t, err)
	compact, err := signed.CompactSerialize()
	require.NoError(t, err)
	return withToken(compact)
}
