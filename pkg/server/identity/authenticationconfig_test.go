package identity

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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

func TestAnonymousReachesHealthOnlyUnlessTheConfigSaysOtherwise(t *testing.T) {
	config := func(anonymous string) string {
		return "--authentication-config=" + writeFile(t, "authentication.yaml", configOf("v1beta1")+"anonymous: "+anonymous+"\n")
	}
	const health, check, other, version = "/livez", "/readyz/etcd", "/livezz", "/version"
	tests := []struct {
		name  string
		flags []string
		want  map[string]int
	}{
		{"no config", nil, map[string]int{health: 200, check: 200, "/healthz": 200, other: 401, version: 401, objects: 401, "/metrics": 401}},
		{"a config that says nothing of it", []string{"--authentication-config=" + writeFile(t, "a.yaml", configOf("v1beta1"))}, map[string]int{health: 200, check: 200, version: 401}},
		{"off", []string{config("{enabled: false}")}, map[string]int{health: 401, check: 401, version: 401}},
		{"on for one path", []string{config("{enabled: true, conditions: [{path: /livez}]}")}, map[string]int{health: 200, check: 401, version: 401}},
		{"on everywhere: known as nobody, who may do nothing", []string{config("{enabled: true}")}, map[string]int{health: 200, check: 200, version: 403, objects: 403}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newGuarded(t, newTestOptions(t, test.flags...), "")
			got := map[string]int{}
			for path := range test.want {
				answer := server.request(path, nil, nil)
				got[path] = answer.Status
				if answer.Status == http.StatusOK {
					require.Equal(t, "system:anonymous", answer.User.Name)
				}
			}
			require.Equal(t, test.want, got)
		})
	}
}
