package identity

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// awaitToken waits until the server accepts a token: the issuer's keys are fetched in
// the background.
func awaitToken(t *testing.T, server *testServer, token string) answer {
	t.Helper()
	var last answer
	eventually.Holds(t, "the token is accepted", func(a *eventually.Attempt) {
		last = server.withToken("/version", token)
		require.Equal(a, http.StatusOK, last.Status)
	})
	return last
}

func known(name string, groups ...string) answer {
	return answer{Status: http.StatusOK, User: user.DefaultInfo{Name: name, Groups: append(groups, user.AllAuthenticated)}}
}

func TestOIDCFlagsAuthenticateUser(t *testing.T) {
	rsa, ec := newRS256Issuer(t), newES256Issuer(t)
	flags := func(i *issuer, more ...string) []string {
		return append([]string{"--oidc-issuer-url=" + i.url(), "--oidc-client-id=flowcontrol", "--oidc-ca-file=" + i.ca.file}, more...)
	}
	rejected := answer{Status: http.StatusUnauthorized}
	groups := map[string]any{"groups": []string{"developers"}}
	tests := []struct {
		name   string
		issuer *issuer
		flags  []string
		// good is an accepted token.
		good  string
		token string
		want  answer
	}{
		{"the subject, prefixed with the issuer", rsa, flags(rsa), rsa.token("x", nil), rsa.token("alice", nil), known(rsa.url() + "#alice")},
		{"a prefix", rsa, flags(rsa, "--oidc-username-prefix=corp:"), rsa.token("x", nil), rsa.token("alice", nil), known("corp:alice")},
		{"no prefix", rsa, flags(rsa, "--oidc-username-prefix=-"), rsa.token("x", nil), rsa.token("alice", nil), known("alice")},
		{
			"an e-mail address needs no prefix", rsa, flags(rsa, "--oidc-username-claim=email"),
			rsa.token("x", map[string]any{"email": "x@example.com"}), rsa.token("1", map[string]any{"email": "alice@example.com"}), known("alice@example.com"),
		},
		{"groups", rsa, flags(rsa, "--oidc-username-prefix=-", "--oidc-groups-claim=groups", "--oidc-groups-prefix=corp:"), rsa.token("x", nil), rsa.token("alice", groups), known("alice", "corp:developers")},
		{"no groups unless asked for", rsa, flags(rsa, "--oidc-username-prefix=-"), rsa.token("x", nil), rsa.token("alice", groups), known("alice")},
		{"another audience", rsa, flags(rsa), rsa.token("x", nil), rsa.token("alice", map[string]any{"aud": "shop"}), rejected},
		{"expired", rsa, flags(rsa), rsa.token("x", nil), rsa.token("alice", map[string]any{"exp": time.Now().Add(-time.Minute).Unix()}), rejected},
		{"another issuer", rsa, flags(rsa), rsa.token("x", nil), ec.token("alice", nil), rejected},
		{"signed by another issuer", rsa, flags(rsa), rsa.token("x", nil), ec.token("alice", map[string]any{"iss": rsa.url()}), rejected},
		{
			"without a required claim", rsa, flags(rsa, "--oidc-required-claim=tenant=blue"),
			rsa.token("x", map[string]any{"tenant": "blue"}), rsa.token("alice", map[string]any{"tenant": "red"}), rejected,
		},
		{"another algorithm, if it is allowed", ec, flags(ec, "--oidc-username-prefix=-", "--oidc-signing-algs=ES256"), ec.token("x", nil), ec.token("alice", nil), known("alice")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newTestServer(t, newTestOptions(t, test.flags...), "")
			awaitToken(t, server, test.good)
			require.Equal(t, test.want, server.withToken("/version", test.token))
		})
	}
	t.Run("another algorithm, if it is not allowed", func(t *testing.T) {
		options := newTestOptions(t, flags(ec)...)
		token, err := options.Local.OIDC.newAuthenticator(t.Context())
		require.NoError(t, err)
		alice, accepted := ec.token("alice", nil), false
		eventually.Holds(t, "the algorithm is rejected", func(a *eventually.Attempt) {
			_, ok, err := token.AuthenticateToken(a.Context(), alice)
			accepted = accepted || ok
			require.ErrorContains(a, err, "unsupported algorithm")
		})
		require.False(t, accepted)
	})
}

func TestStartDoesNotWaitForTheIssuer(t *testing.T) {
	issuer := newRS256Issuer(t)
	issuer.silent.Store(true)
	server := newTestServer(t, newTestOptions(t, "--oidc-issuer-url="+issuer.url(), "--oidc-client-id=flowcontrol", "--oidc-ca-file="+issuer.ca.file), "")
	require.Equal(t, answer{Status: http.StatusUnauthorized}, server.withToken("/version", issuer.token("alice", nil)))
	require.Equal(t, http.StatusOK, server.request("/readyz", nil, nil).Status, "other requests are served")
}

func TestInvalidOIDCCABundleErrorNamesFlagAndFile(t *testing.T) {
	for name, file := range map[string]string{"missing": "/nowhere.crt", "without certificates": writeFile(t, "no.pem", "invalid")} {
		t.Run(name, func(t *testing.T) {
			_, err := apply(t, newTestOptions(t, "--oidc-issuer-url=https://127.0.0.1:1", "--oidc-client-id=flowcontrol", "--oidc-ca-file="+file), "")
			require.ErrorContains(t, err, "--oidc-ca-file="+file)
		})
	}
}
