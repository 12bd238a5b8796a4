package identity

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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

func TestAuthenticationConfigAuthenticatesUser(t *testing.T) {
	rsa, ec := newRS256Issuer(t), newES256Issuer(t)
	for _, version := range []string{"v1alpha1", "v1beta1", "v1"} {
		t.Run("two issuers that sign differently, in "+version, func(t *testing.T) {
			file := writeFile(t, "authentication.yaml", configOf(version, rsa, ec))
			server := newTestServer(t, newTestOptions(t, "--authentication-config="+file), "")
			require.Equal(t, known("alice"), awaitToken(t, server, rsa.token("alice", nil)))
			require.Equal(t, known("bob"), awaitToken(t, server, ec.token("bob", nil)))
		})
	}
	t.Run("claims by expression", func(t *testing.T) {
		config := strings.Replace(configOf("v1beta1", rsa), "claim: sub\n      prefix: \"\"", `expression: "'corp:' + claims.sub"`, 1)
		server := newTestServer(t, newTestOptions(t, "--authentication-config="+writeFile(t, "authentication.yaml", config)), "")
		require.Equal(t, known("corp:alice"), awaitToken(t, server, rsa.token("alice", nil)))
	})
	t.Run("audiences", func(t *testing.T) {
		file := writeFile(t, "authentication.yaml", configOf("v1beta1", rsa))
		server := newTestServer(t, newTestOptions(t, "--authentication-config="+file, "--api-audiences=a,b"), "")
		require.Equal(t, known("alice"), awaitToken(t, server, rsa.token("alice", nil)))
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

// testReloader reloads a file that the test rewrites.
type testReloader struct {
	*configReloader
	t *testing.T
}

func newTestReloader(t *testing.T, content string) *testReloader {
	t.Helper()
	reloader, err := newConfigReloader(t.Context(), writeFile(t, "authentication.yaml", content), "")
	require.NoError(t, err)
	reloader.issuerPollInterval = time.Millisecond
	return &testReloader{configReloader: reloader, t: t}
}

// write replaces the file by a rename, as the kubelet does for a mounted
// ConfigMap.
func (f *testReloader) write(content string) {
	f.t.Helper()
	next := filepath.Join(filepath.Dir(f.file), "next")
	require.NoError(f.t, os.WriteFile(next, []byte(content), 0o600))
	require.NoError(f.t, os.Rename(next, f.file))
}

// accepts reports whether a token is accepted.
func (f *testReloader) accepts(token string) bool {
	_, ok, _ := f.tokens.AuthenticateToken(f.t.Context(), token)
	return ok
}

// awaitIssuers waits for the signing keys of the current issuers.
func (f *testReloader) awaitIssuers() {
	f.t.Helper()
	eventually.Holds(f.t, "the signing keys of all issuers were fetched", func(a *eventually.Attempt) {
		require.NoError(a, f.tokens.current.Load().healthCheck())
	})
}

func TestReloadReplacesTheAuthenticationConfig(t *testing.T) {
	first, second := newRS256Issuer(t), newES256Issuer(t)
	alice, bob := first.token("alice", nil), second.token("bob", nil)
	f := newTestReloader(t, configOf("v1beta1", first))
	f.awaitIssuers()
	require.True(t, f.accepts(alice))
	require.False(t, f.accepts(bob))

	changed, err := f.reloadIfChanged(t.Context())
	require.NoError(t, err)
	require.False(t, changed, "the file has not changed")

	f.write(configOf("v1beta1", second))
	old := f.tokens.current.Load()
	cancel, ended := old.cancel, false
	old.cancel = func() { cancel(); ended = true }
	changed, err = f.reloadIfChanged(t.Context())
	require.NoError(t, err)
	require.True(t, changed)
	require.True(t, ended, "the background work of the old configuration stops")
	require.False(t, f.accepts(alice))
	require.True(t, f.accepts(bob), "tokens of the new issuer are accepted at once")
}

func TestFailedReloadKeepsThePreviousAuthenticationConfig(t *testing.T) {
	first, second := newRS256Issuer(t), newES256Issuer(t)
	alice := first.token("alice", nil)
	tests := []struct{ name, content, want string }{
		{"empty", "", "but is empty"},
		{"neither YAML nor JSON", "\t{", "YAML or JSON"},
		{"an unknown field", configOf("v1beta1", second) + "unknown: 1\n", `unknown field "unknown"`},
		{"a change of anonymous access", configOf("v1beta1", second) + "anonymous: {enabled: true}\n", "anonymous: may not change"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newTestReloader(t, configOf("v1beta1", first))
			f.awaitIssuers()
			f.write(test.content)

			changed, err := f.reloadIfChanged(t.Context())
			require.ErrorContains(t, err, test.want)
			require.False(t, changed)
			require.True(t, f.accepts(alice))

			_, err = f.reloadIfChanged(t.Context())
			require.NoError(t, err, "the same error is reported once")

			f.write(configOf("v1beta1", second))
			changed, err = f.reloadIfChanged(t.Context())
			require.NoError(t, err)
			require.True(t, changed, "the corrected file is loaded")
			require.True(t, f.accepts(second.token("bob", nil)))
		})
	}
	t.Run("a missing file", func(t *testing.T) {
		f := newTestReloader(t, configOf("v1beta1", first))
		f.awaitIssuers()
		require.NoError(t, os.Remove(f.file))
		_, err := f.reloadIfChanged(t.Context())
		require.ErrorIs(t, err, os.ErrNotExist)
		require.True(t, f.accepts(alice))
	})
}

func TestReloadWaitsForTheIssuersKeys(t *testing.T) {
	first, second := newRS256Issuer(t), newES256Issuer(t)
	f := newTestReloader(t, configOf("v1beta1", first))
	f.awaitIssuers()
	second.silent.Store(true)
	f.write(configOf("v1beta1", second))

	f.issuerTimeout = 50 * time.Millisecond
	eventually.Holds(t, "the error says why there are no signing keys", func(a *eventually.Attempt) {
		f.issuerTimeout *= 2
		_, err := f.reloadIfChanged(a.Context())
		require.ErrorContains(a, err, "503")
	})
	require.True(t, f.accepts(first.token("alice", nil)))

	second.silent.Store(false)
	f.issuerTimeout = eventually.Grace
	changed, err := f.reloadIfChanged(t.Context())
	require.NoError(t, err)
	require.True(t, changed, "the same content is tried again")
	require.True(t, f.accepts(second.token("bob", nil)))
}

func TestReloadRejectsNoToken(t *testing.T) {
	first, second := newRS256Issuer(t), newES256Issuer(t)
	alice := first.token("alice", nil)
	configs := []string{configOf("v1beta1", first), configOf("v1beta1", first, second)}
	f := newTestReloader(t, configs[0])
	f.awaitIssuers()

	ctx, cancel := context.WithCancel(t.Context())
	rejected := make(chan error, 2)
	for range cap(rejected) {
		go func() {
			for ctx.Err() == nil {
				if _, ok, err := f.tokens.AuthenticateToken(context.Background(), alice); !ok {
					rejected <- err
					return
				}
			}
			rejected <- nil
		}()
	}
	for i := range 6 {
		f.write(configs[(i+1)%2])
		changed, err := f.reloadIfChanged(t.Context())
		require.NoError(t, err)
		require.True(t, changed)
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
	awaitToken(t, server, first.token("alice", nil))
	require.NoError(t, os.Rename(writeFile(t, "next.yaml", configOf("v1beta1", second)), file))
	require.Equal(t, known("bob"), awaitToken(t, server, second.token("bob", nil)))
}

func TestReloaderRunsUntilTheServerStops(t *testing.T) {
	first, second := newRS256Issuer(t), newES256Issuer(t)
	f := newTestReloader(t, configOf("v1beta1", first))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		f.run(ctx, time.Millisecond)
		close(ended)
	}()

	f.write(configOf("v1beta1", second))
	bob := second.token("bob", nil)
	eventually.Holds(t, "the new configuration is in use", func(a *eventually.Attempt) { require.True(a, f.accepts(bob)) })
	cancel()
	<-ended
}
