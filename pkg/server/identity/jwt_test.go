package identity

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// configOf returns an AuthenticationConfiguration with some issuers, whose users
// have no prefix.
func configOf(version string, issuers ...*issuer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: apiserver.config.k8s.io/%s\nkind: AuthenticationConfiguration\njwt:\n", version)
	if len(issuers) == 0 {
		b.WriteString("  []\n")
	}
	for _, i := range issuers {
		fmt.Fprintf(&b, "- issuer:\n    url: %s\n    audiences: [flowcontrol]\n    certificateAuthority: |\n      %s\n",
			i.url(), strings.ReplaceAll(strings.TrimSpace(string(i.ca.pem)), "\n", "\n      "))
		b.WriteString("  claimMappings:\n    username:\n      claim: sub\n      prefix: \"\"\n")
	}
	return b.String()
}

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

func TestAuthenticationConfigAuthenticatesUser(t *testing.T) {
	rsa, ec := newRS256Issuer(t), newES256Issuer(t)
	for _, version := range []string{"v1alpha1", "v1beta1"} {
		t.Run("two issuers that sign differently, in "+version, func(t *testing.T) {
			file := writeFile(t, "authentication.yaml", configOf(version, rsa, ec))
			server := newTestServer(t, newTestOptions(t, "--authentication-config="+file), "")
			require.Equal(t, known("alice"), awaitToken(t, server, rsa.token("alice")))
			require.Equal(t, known("bob"), awaitToken(t, server, ec.token("bob")))
		})
	}
	t.Run("claims by expression", func(t *testing.T) {
		config := strings.Replace(configOf("v1beta1", rsa), "claim: sub\n      prefix: \"\"", `expression: "'corp:' + claims.sub"`, 1)
		server := newTestServer(t, newTestOptions(t, "--authentication-config="+writeFile(t, "authentication.yaml", config)), "")
		require.Equal(t, known("corp:alice"), awaitToken(t, server, rsa.token("alice")))
	})
}

func TestInvalidAuthenticationConfigErrorNamesFlagAndFile(t *testing.T) {
	good := configOf("v1beta1", newRS256Issuer(t))
	tests := []struct{ name, content, want string }{
		{"empty", "", "but is empty"},
		{"neither YAML nor JSON", "\t{", "YAML or JSON"},
		{"an unknown field", good + "unknown: 1\n", `unknown field "unknown"`},
		{"a duplicate field", good + "kind: AuthenticationConfiguration\n", `"kind" already set`},
		{"an unknown version", configOf("v7"), "v7"},
		{"another kind", "apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthorizationConfiguration\n", "but contains another kind"},
		{"an issuer without TLS", strings.Replace(good, "url: https", "url: http", 1), "URL scheme must be https"},
		{"an issuer without audience", strings.Replace(good, "[flowcontrol]", "[]", 1), "jwt[0].issuer.audiences"},
		{"an invalid CA bundle", strings.Replace(good, "-----BEGIN", "-----BEGUN", 1), "jwt[0].issuer.certificateAuthority"},
		{"an invalid expression", strings.Replace(good, "claim: sub\n      prefix: \"\"", `expression: "claims."`, 1), "jwt[0].claimMappings.username.expression"},
		{"conditions of disabled anonymous access", configOf("v1beta1") + "anonymous: {enabled: false, conditions: [{path: /x}]}\n", "anonymous.conditions"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := writeFile(t, "authentication.yaml", test.content)
			_, err := apply(t, newTestOptions(t, "--authentication-config="+file), "")
			require.ErrorContains(t, err, "--authentication-config="+file)
			require.ErrorContains(t, err, test.want)
		})
	}
	t.Run("missing", func(t *testing.T) {
		_, err := apply(t, newTestOptions(t, "--authentication-config=/nowhere.yaml"), "")
		require.ErrorContains(t, err, "--authentication-config=/nowhere.yaml: must be a readable file")
	})
}

// startJWT returns an authenticator whose issuers have their signing keys.
func startJWT(t *testing.T, content string) *jwtAuthenticator {
	t.Helper()
	j := newJWTAuthenticator()
	require.NoError(t, j.use(t.Context(), []byte(content)))
	require.NoError(t, j.current.Load().wait(t.Context(), eventually.Grace))
	return j
}

// accepts reports whether a token is accepted.
func (j *jwtAuthenticator) accepts(t *testing.T, token string) bool {
	t.Helper()
	_, ok, _ := j.AuthenticateToken(t.Context(), token)
	return ok
}

func TestIssuersAreReplacedByValidOnesWhoseKeysAreThere(t *testing.T) {
	first, second := newRS256Issuer(t), newES256Issuer(t)
	alice, bob := first.token("alice"), second.token("bob")
	j := startJWT(t, configOf("v1beta1", first))
	require.ErrorContains(t, j.use(t.Context(), []byte(configOf("v1beta1", second)+"anonymous: {enabled: true}\n")), "anonymous: may not change")
	second.silent.Store(true)
	j.issuerTimeout = 50 * time.Millisecond
	eventually.Holds(t, "the error says why there are no signing keys", func(a *eventually.Attempt) {
		j.issuerTimeout *= 2
		require.ErrorContains(a, j.use(a.Context(), []byte(configOf("v1beta1", second))), "503")
	})
	require.True(t, j.accepts(t, alice))
	require.False(t, j.accepts(t, bob))

	second.silent.Store(false)
	j.issuerTimeout, j.grace = eventually.Grace, 0
	old := j.current.Load()
	var ended atomic.Bool
	cancel := old.cancel
	old.cancel = func() { cancel(); ended.Store(true) }
	require.NoError(t, j.use(t.Context(), []byte(configOf("v1beta1", second))))
	eventually.Holds(t, "the background work of the previous issuers ends", func(a *eventually.Attempt) { require.True(a, ended.Load()) })
	require.False(t, j.accepts(t, alice))
	require.True(t, j.accepts(t, bob), "tokens of the new issuer are accepted at once")
}

func TestReplacingIssuersRejectsNoToken(t *testing.T) {
	first, second := newRS256Issuer(t), newES256Issuer(t)
	alice := first.token("alice")
	configs := []string{configOf("v1beta1", first), configOf("v1beta1", first, second)}
	j := startJWT(t, configs[0])

	ctx, cancel := context.WithCancel(t.Context())
	rejected := make(chan error, 2)
	for range cap(rejected) {
		go func() {
			for ctx.Err() == nil {
				if _, ok, err := j.AuthenticateToken(context.Background(), alice); !ok {
					rejected <- err
					return
				}
			}
			rejected <- nil
		}()
	}
	for i := range 6 {
		require.NoError(t, j.use(t.Context(), []byte(configs[(i+1)%2])))
	}
	cancel()
	for range cap(rejected) {
		require.NoError(t, <-rejected)
	}
}

func TestServerReloadsTheAuthenticationConfig(t *testing.T) {
	first, second := newRS256Issuer(t), newES256Issuer(t)
	file := writeFile(t, "authentication.yaml", configOf("v1beta1", first))
	options := newTestOptions(t, "--authentication-config="+file)
	options.reloadInterval = time.Millisecond
	server := newTestServer(t, options, "")
	alice := first.token("alice")
	awaitToken(t, server, alice)
	replace := func(content string) {
		t.Helper()
		require.NoError(t, os.Rename(writeFile(t, "next.yaml", content), file)) // as the kubelet does for a mounted ConfigMap
	}
	log := logOf(t)
	replace("invalid")
	eventually.Holds(t, "the error is logged", func(a *eventually.Attempt) { require.Contains(a, log(), "the previous content stays in use") })
	require.Equal(t, known("alice"), server.withToken("/version", alice))
	replace(configOf("v1beta1", second))
	require.Equal(t, known("bob"), awaitToken(t, server, second.token("bob")))
}

func TestStartDoesNotWaitForTheIssuer(t *testing.T) {
	issuer := newRS256Issuer(t)
	issuer.silent.Store(true)
	server := newTestServer(t, newTestOptions(t, "--authentication-config="+writeFile(t, "authentication.yaml", configOf("v1beta1", issuer))), "")
	require.Equal(t, answer{Status: http.StatusUnauthorized}, server.withToken("/version", issuer.token("alice")))
	require.Equal(t, http.StatusOK, server.request("/readyz", nil, nil).Status, "other requests are served")
}
