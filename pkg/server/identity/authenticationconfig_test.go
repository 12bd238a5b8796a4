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
	"k8s.io/apiserver/pkg/apis/apiserver"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/oidc"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/eventually"
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
			i.url(), strings.ReplaceAll(strings.TrimSpace(string(i.authority.pem)), "\n", "\n      "))
		b.WriteString("  claimMappings:\n    username:\n      claim: sub\n      prefix: \"\"\n")
	}
	return b.String()
}

func TestAuthenticationConfigTellsTheUser(t *testing.T) {
	rsa, ec := newRS256Issuer(t), newES256Issuer(t)
	for _, version := range []string{"v1alpha1", "v1beta1"} {
		t.Run("two issuers that sign differently, in "+version, func(t *testing.T) {
			file := writeFile(t, "authentication.yaml", configOf(version, rsa, ec))
			server := newGuarded(t, newTestOptions(t, "--authentication-config="+file), "")
			require.Equal(t, known("alice"), awaitToken(t, server, rsa.token("alice", nil)))
			require.Equal(t, known("bob"), awaitToken(t, server, ec.token("bob", nil)))
		})
	}
	t.Run("claims by expression", func(t *testing.T) {
		config := strings.Replace(configOf("v1beta1", rsa), "claim: sub\n      prefix: \"\"", `expression: "'corp:' + claims.sub"`, 1)
		server := newGuarded(t, newTestOptions(t, "--authentication-config="+writeFile(t, "authentication.yaml", config)), "")
		require.Equal(t, known("corp:alice"), awaitToken(t, server, rsa.token("alice", nil)))
	})
	t.Run("audiences", func(t *testing.T) {
		file := writeFile(t, "authentication.yaml", configOf("v1beta1", rsa))
		server := newGuarded(t, newTestOptions(t, "--authentication-config="+file, "--api-audiences=a,b"), "")
		require.Equal(t, known("alice"), awaitToken(t, server, rsa.token("alice", nil)))
	})
}

func TestBadAuthenticationConfigIsToldWithFlagAndFile(t *testing.T) {
	good := configOf("v1beta1", newRS256Issuer(t))
	tests := []struct{ name, content, want string }{
		{"empty", "", "is empty"},
		{"neither YAML nor JSON", "\t{", "YAML or JSON"},
		{"an unknown field", good + "nonsense: 1\n", `unknown field "nonsense"`},
		{"a field twice", good + "kind: AuthenticationConfiguration\n", `"kind" already set`},
		{"an unknown version", configOf("v7"), "v7"},
		{"another kind", "apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthorizationConfiguration\n", "holds another kind"},
		{"an issuer without TLS", strings.Replace(good, "url: https", "url: http", 1), "URL scheme must be https"},
		{"an issuer without audience", strings.Replace(good, "[flowcontrol]", "[]", 1), "jwt[0].issuer.audiences"},
		{"an authority that is no certificate", strings.Replace(good, "-----BEGIN", "-----BEGUN", 1), "jwt[0].issuer.certificateAuthority"},
		{"an expression that is none", strings.Replace(good, "claim: sub\n      prefix: \"\"", `expression: "claims."`, 1), "jwt[0].claimMappings.username.expression"},
		{"conditions for anonymous requests that are off", configOf("v1beta1") + "anonymous: {enabled: false, conditions: [{path: /x}]}\n", "anonymous.conditions"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := writeFile(t, "authentication.yaml", test.content)
			_, err := apply(t, newTestOptions(t, "--authentication-config="+file), "")
			require.ErrorContains(t, err, "--authentication-config="+file)
			require.ErrorContains(t, err, test.want)
		})
	}
	t.Run("not there", func(t *testing.T) {
		_, err := apply(t, newTestOptions(t, "--authentication-config=/nowhere.yaml"), "")
		require.ErrorContains(t, err, "--authentication-config=/nowhere.yaml: must be a readable file")
	})
}

// following is a follower of a file that the test rewrites.
type following struct {
	*configFollower
	t *testing.T
}

func newFollowing(t *testing.T, content string) *following {
	t.Helper()
	file := writeFile(t, "authentication.yaml", content)
	reader := newConfigReader(authenticationcel.NewDefaultCompiler())
	configuration, err := reader.read([]byte(content))
	require.NoError(t, err)
	build := func(configuration *apiserver.AuthenticationConfiguration) (*jwtSet, error) {
		return newJWTSet(t.Context(), configuration, reader.compiler, oidc.AllValidSigningAlgorithms())
	}
	set, err := build(configuration)
	require.NoError(t, err)
	follower := newConfigFollower(file, reader, []byte(content), configuration.Anonymous, build, newJWTSwitch(set), "")
	follower.poll = time.Millisecond
	return &following{configFollower: follower, t: t}
}

// write replaces the file as a mounted ConfigMap does: by another file.
func (f *following) write(content string) {
	f.t.Helper()
	next := filepath.Join(filepath.Dir(f.file), "next")
	require.NoError(f.t, os.WriteFile(next, []byte(content), 0o600))
	require.NoError(f.t, os.Rename(next, f.file))
}

// lets tells whether a token is let in.
func (f *following) lets(token string) bool {
	_, ok, _ := f.tokens.AuthenticateToken(f.t.Context(), token)
	return ok
}

// awaitIssuers waits until the keys of the configuration in force are there.
func (f *following) awaitIssuers() {
	f.t.Helper()
	eventually.Holds(f.t, "the issuers have told their keys", func(a *eventually.Attempt) {
		require.NoError(a, f.tokens.current.Load().ready())
	})
}

func TestNewConfigTakesThePlaceOfTheOld(t *testing.T) {
	first, second := newRS256Issuer(t), newES256Issuer(t)
	alice, bob := first.token("alice", nil), second.token("bob", nil)
	f := newFollowing(t, configOf("v1beta1", first))
	f.awaitIssuers()
	require.True(t, f.lets(alice))
	require.False(t, f.lets(bob))

	changed, err := f.follow(t.Context())
	require.NoError(t, err)
	require.False(t, changed, "the file is as it was")

	f.write(configOf("v1beta1", second))
	old := f.tokens.current.Load()
	cancel, ended := old.cancel, false
	old.cancel = func() { cancel(); ended = true }
	changed, err = f.follow(t.Context())
	require.NoError(t, err)
	require.True(t, changed)
	require.True(t, ended, "what the old configuration runs in the background ends")
	require.False(t, f.lets(alice))
	require.True(t, f.lets(bob), "the new issuer is let in from the first moment")
}

func TestConfigThatCannotBeUsedLeavesTheLastGoodOne(t *testing.T) {
	first, second := newRS256Issuer(t), newES256Issuer(t)
	alice := first.token("alice", nil)
	tests := []struct{ name, content, want string }{
		{"empty", "", "is empty"},
		{"neither YAML nor JSON", "\t{", "YAML or JSON"},
		{"an unknown field", configOf("v1beta1", second) + "nonsense: 1\n", "nonsense"},
		{"another word on anonymous requests", configOf("v1beta1", second) + "anonymous: {enabled: true}\n", "anonymous: may not change"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFollowing(t, configOf("v1beta1", first))
			f.awaitIssuers()
			f.write(test.content)

			changed, err := f.follow(t.Context())
			require.ErrorContains(t, err, test.want)
			require.False(t, changed)
			require.True(t, f.lets(alice))

			_, err = f.follow(t.Context())
			require.NoError(t, err, "the same mistake is told once")

			f.write(configOf("v1beta1", second))
			changed, err = f.follow(t.Context())
			require.NoError(t, err)
			require.True(t, changed, "the mistake is mended")
			require.True(t, f.lets(second.token("bob", nil)))
		})
	}
	t.Run("file gone", func(t *testing.T) {
		f := newFollowing(t, configOf("v1beta1", first))
		f.awaitIssuers()
		require.NoError(t, os.Remove(f.file))
		_, err := f.follow(t.Context())
		require.ErrorIs(t, err, os.ErrNotExist)
		require.True(t, f.lets(alice))
	})
}

func TestConfigOfSilentIssuerWaitsUntilItSpeaks(t *testing.T) {
	first, second := newRS256Issuer(t), newES256Issuer(t)
	f := newFollowing(t, configOf("v1beta1", first))
	f.awaitIssuers()
	second.silent.Store(true)
	f.write(configOf("v1beta1", second))

	f.patience = 50 * time.Millisecond
	eventually.Holds(t, "the issuer has been asked, and the error says why there are no keys", func(a *eventually.Attempt) {
		f.patience *= 2
		_, err := f.follow(a.Context())
		require.ErrorContains(a, err, "503")
	})
	require.True(t, f.lets(first.token("alice", nil)))

	second.silent.Store(false)
	f.patience = eventually.Grace
	changed, err := f.follow(t.Context())
	require.NoError(t, err)
	require.True(t, changed, "the same file is tried again")
	require.True(t, f.lets(second.token("bob", nil)))
}

func TestEveryRequestIsAnsweredWhileConfigsChange(t *testing.T) {
	first, second := newRS256Issuer(t), newES256Issuer(t)
	alice := first.token("alice", nil)
	configs := []string{configOf("v1beta1", first), configOf("v1beta1", first, second)}
	f := newFollowing(t, configs[0])
	f.awaitIssuers()

	ctx, cancel := context.WithCancel(t.Context())
	refused := make(chan error, 2)
	for range cap(refused) {
		go func() {
			for ctx.Err() == nil {
				if _, ok, err := f.tokens.AuthenticateToken(context.Background(), alice); !ok {
					refused <- err
					return
				}
			}
			refused <- nil
		}()
	}
	for i := range 6 {
		f.write(configs[(i+1)%2])
		changed, err := f.follow(ctx)
		require.NoError(t, err)
		require.True(t, changed)
	}
	cancel()
	for range cap(refused) {
		require.NoError(t, <-refused)
	}
}

func TestServerFollowsTheConfig(t *testing.T) {
	first, second := newRS256Issuer(t), newES256Issuer(t)
	file := writeFile(t, "authentication.yaml", configOf("v1beta1", first))
	options := newTestOptions(t, "--authentication-config="+file)
	options.reloadInterval = time.Millisecond
	server := newGuarded(t, options, "")
	awaitToken(t, server, first.token("alice", nil))
	require.NoError(t, os.Rename(writeFile(t, "next.yaml", configOf("v1beta1", second)), file))
	require.Equal(t, known("bob"), awaitToken(t, server, second.token("bob", nil)))
}

func TestFollowerLooksAgainAndAgainUntilTheServerStops(t *testing.T) {
	first, second := newRS256Issuer(t), newES256Issuer(t)
	f := newFollowing(t, configOf("v1beta1", first))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		f.run(ctx, time.Millisecond)
		close(ended)
	}()

	f.write(configOf("v1beta1", second))
	bob := second.token("bob", nil)
	eventually.Holds(t, "the new configuration is in force", func(a *eventually.Attempt) { require.True(a, f.lets(bob)) })
	cancel()
	<-ended
}
