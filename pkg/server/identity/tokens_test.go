package identity

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apiserver/pkg/authentication/user"
)

func TestTokenWebhookTellsTheUser(t *testing.T) {
	for flag, version := range map[string]string{"": "v1beta1", "--authentication-token-webhook-version=v1": "v1"} {
		t.Run("in "+version, func(t *testing.T) {
			webhook := newReviewer(t)
			webhook.users = map[string]authenticationv1.UserInfo{"secret": {Username: "alice", UID: "1", Groups: []string{user.SystemPrivilegedGroup}}}
			flags := []string{"--authentication-token-webhook-config-file=" + webhook.kubeconfig(t), "--api-audiences=flowcontrol"}
			if flag != "" {
				flags = append(flags, flag)
			}
			server := newGuarded(t, newTestOptions(t, flags...), "")
			alice := answer{Status: http.StatusOK, User: user.DefaultInfo{Name: "alice", UID: "1", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}}

			require.Equal(t, alice, server.withToken(objects, "secret"))
			require.Equal(t, alice, server.withToken(objects, "secret"))
			require.Equal(t, []string{"authentication.k8s.io/" + version + " TokenReview"}, webhook.asked(), "the second answer is remembered")
			require.Equal(t, answer{Status: http.StatusUnauthorized}, server.withToken(objects, "guess"))
			require.Equal(t, answer{Status: http.StatusUnauthorized}, server.withToken(objects, "guess"))
			require.Len(t, webhook.asked(), 2, "a refusal is remembered too")
		})
	}
}

func TestTokenForOthersIsRefused(t *testing.T) {
	webhook := newReviewer(t)
	webhook.users = map[string]authenticationv1.UserInfo{"secret": {Username: "alice"}}
	webhook.audiences = []string{"shop"}
	kubeconfig := "--authentication-token-webhook-config-file=" + webhook.kubeconfig(t)
	require.Equal(t, known("alice"), newGuarded(t, newTestOptions(t, kubeconfig), "").withToken("/version", "secret"), "without audiences nobody asks for whom it is")
	require.Equal(t, known("alice"), newGuarded(t, newTestOptions(t, kubeconfig, "--api-audiences=flowcontrol,shop"), "").withToken("/version", "secret"))
	require.Equal(t, answer{Status: http.StatusUnauthorized}, newGuarded(t, newTestOptions(t, kubeconfig, "--api-audiences=flowcontrol"), "").withToken("/version", "secret"))
}

func TestLifetimesAreKubeAPIServersUnlessGiven(t *testing.T) {
	options := newTestOptions(t, "--authorization-webhook-cache-authorized-ttl=7s")
	require.Equal(t, 2*time.Minute, options.lifetime(tokenWebhookTTLFlag, options.Authentication.CacheTTL, defaultTokenWebhookTTL))
	require.Equal(t, 7*time.Second, options.lifetime(authorizationAllowedTTLFlag, options.Authorization.AllowCacheTTL, defaultAllowedTTL))
	require.Equal(t, 30*time.Second, options.lifetime(authorizationDeniedTTLFlag, options.Authorization.DenyCacheTTL, defaultDeniedTTL))
}

func TestWebhookHasATimeLimitAndNoRateLimit(t *testing.T) {
	config, err := loadWebhookKubeconfig(tokenWebhookFlag, newReviewer(t).kubeconfig(t))
	require.NoError(t, err)
	require.Positive(t, config.Timeout)
	require.Negative(t, config.QPS)
}

func TestTokenWebhookIsAskedLast(t *testing.T) {
	webhook := newReviewer(t)
	file := writeFile(t, "tokens.csv", "secret,alice,1\n")
	server := newGuarded(t, newTestOptions(t, "--token-auth-file="+file, "--authentication-token-webhook-config-file="+webhook.kubeconfig(t)), "")
	require.Equal(t, http.StatusOK, server.withToken("/version", "secret").Status)
	require.Empty(t, webhook.asked())
}

func TestTokenWebhookOutOfOrderLetsNobodyIn(t *testing.T) {
	webhook := newReviewer(t)
	webhook.status = http.StatusForbidden
	server := newGuarded(t, newTestOptions(t, "--authentication-token-webhook-config-file="+webhook.kubeconfig(t)), "")
	require.Equal(t, answer{Status: http.StatusUnauthorized}, server.withToken("/version", "secret"))
	require.NotEmpty(t, webhook.asked())
}

func TestBadWebhookKubeconfigIsToldWithFlagAndFile(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"not there", "/nowhere", "no such file"},
		{"empty", writeFile(t, "empty", ""), "names a server"},
		{"no YAML", writeFile(t, "nonsense", "\t{"), "readable kubeconfig"},
		{"an authority that is not there", writeFile(t, "ca", "apiVersion: v1\nkind: Config\nclusters: [{name: a, cluster: {server: https://127.0.0.1:1, certificate-authority: /nowhere.crt}}]\ncontexts: [{name: a, context: {cluster: a}}]\ncurrent-context: a\n"), "/nowhere.crt"},
	}
	for _, flag := range []string{tokenWebhookFlag, authorizationWebhookFlag, "kubeconfig", "authentication-kubeconfig"} {
		for _, test := range tests {
			t.Run("--"+flag+" "+test.name, func(t *testing.T) {
				flags := []string{"--" + flag + "=" + test.file}
				if flag == "authentication-kubeconfig" {
					flags = append(flags, "--authorization-kubeconfig="+test.file)
				}
				_, err := apply(t, newTestOptions(t, flags...), "")
				require.ErrorContains(t, err, "--"+flag+"="+test.file)
				require.ErrorContains(t, err, test.want)
			})
		}
	}
}
