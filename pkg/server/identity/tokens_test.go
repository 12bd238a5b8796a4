package identity

import (
	"encoding/base64"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apiserver/pkg/authentication/user"
)

func TestTokenFileAuthenticatesUser(t *testing.T) {
	file := writeFile(t, "tokens.csv", "secret-a,alice,1,\"system:masters,developers\"\nsecret-b,bob,2\n")
	server := newTestServer(t, newTestOptions(t, "--token-auth-file="+file), "")
	alice := answer{Status: http.StatusOK, User: user.DefaultInfo{Name: "alice", UID: "1", Groups: []string{"system:masters", "developers", user.AllAuthenticated}}}

	require.Equal(t, alice, server.withToken(objects, "secret-a"))
	require.Equal(t, answer{Status: http.StatusForbidden}, server.withToken(objects, "secret-b"), "bob may not read objects")
	require.Equal(t, answer{Status: http.StatusOK, User: user.DefaultInfo{Name: "bob", UID: "2", Groups: []string{user.AllAuthenticated}}}, server.withToken("/version", "secret-b"))
	require.Equal(t, answer{Status: http.StatusUnauthorized}, server.withToken(objects, "guess"))
	require.Equal(t, answer{Status: http.StatusUnauthorized}, server.withToken("/livez", "guess"), "a wrong token is not anonymous")

	t.Run("a token as WebSocket protocol", func(t *testing.T) {
		protocol := "base64url.bearer.authorization.k8s.io." + base64.RawURLEncoding.EncodeToString([]byte("secret-a")) + ", v4.channel.k8s.io"
		require.Equal(t, alice, server.request(objects, nil, map[string]string{
			"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Protocol": protocol,
		}))
	})
	t.Run("a token beside audiences", func(t *testing.T) {
		server := newTestServer(t, newTestOptions(t, "--token-auth-file="+file, "--api-audiences=flowcontrol"), "")
		require.Equal(t, alice, server.withToken(objects, "secret-a"))
	})
}

func TestInvalidTokenFileErrorNamesFlagAndFile(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"missing", "/nowhere.csv", "no such file"},
		{"a directory", t.TempDir(), "is a directory"},
		{"two columns", writeFile(t, "two.csv", "secret,alice\n"), "found 2"},
		{"a quote that never ends", writeFile(t, "quote.csv", "secret,alice,1,\"developers\nsecret,bob,2\n"), "line"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := apply(t, newTestOptions(t, "--token-auth-file="+test.file), "")
			require.ErrorContains(t, err, "--token-auth-file="+test.file)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestTokenWebhookAuthenticatesUser(t *testing.T) {
	for flag, version := range map[string]string{"": "v1beta1", "--authentication-token-webhook-version=v1": "v1"} {
		t.Run("in "+version, func(t *testing.T) {
			webhook := newReviewer(t)
			webhook.users = map[string]authenticationv1.UserInfo{"secret": {Username: "alice", UID: "1", Groups: []string{user.SystemPrivilegedGroup}}}
			flags := []string{"--authentication-token-webhook-config-file=" + webhook.kubeconfig(t), "--api-audiences=flowcontrol"}
			if flag != "" {
				flags = append(flags, flag)
			}
			server := newTestServer(t, newTestOptions(t, flags...), "")
			alice := answer{Status: http.StatusOK, User: user.DefaultInfo{Name: "alice", UID: "1", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}}

			require.Equal(t, alice, server.withToken(objects, "secret"))
			require.Equal(t, alice, server.withToken(objects, "secret"))
			require.Equal(t, []string{"authentication.k8s.io/" + version + " TokenReview"}, webhook.received(), "the second response is cached")
			require.Equal(t, answer{Status: http.StatusUnauthorized}, server.withToken(objects, "guess"))
			require.Equal(t, answer{Status: http.StatusUnauthorized}, server.withToken(objects, "guess"))
			require.Len(t, webhook.received(), 2, "a rejection is cached too")
		})
	}
}

func TestTokenForAnotherAudienceIsRejected(t *testing.T) {
	webhook := newReviewer(t)
	webhook.users = map[string]authenticationv1.UserInfo{"secret": {Username: "alice"}}
	webhook.audiences = []string{"shop"}
	kubeconfig := "--authentication-token-webhook-config-file=" + webhook.kubeconfig(t)
	require.Equal(t, known("alice"), newTestServer(t, newTestOptions(t, kubeconfig), "").withToken("/version", "secret"), "without --api-audiences, audiences are not checked")
	require.Equal(t, known("alice"), newTestServer(t, newTestOptions(t, kubeconfig, "--api-audiences=flowcontrol,shop"), "").withToken("/version", "secret"))
	require.Equal(t, answer{Status: http.StatusUnauthorized}, newTestServer(t, newTestOptions(t, kubeconfig, "--api-audiences=flowcontrol"), "").withToken("/version", "secret"))
}

func TestTokenWebhookIsAskedLast(t *testing.T) {
	webhook := newReviewer(t)
	file := writeFile(t, "tokens.csv", "secret,alice,1\n")
	server := newTestServer(t, newTestOptions(t, "--token-auth-file="+file, "--authentication-token-webhook-config-file="+webhook.kubeconfig(t)), "")
	require.Equal(t, http.StatusOK, server.withToken("/version", "secret").Status)
	require.Empty(t, webhook.received())
}

func TestTokenIsRejectedIfTheWebhookFails(t *testing.T) {
	webhook := newReviewer(t)
	webhook.status = http.StatusForbidden
	server := newTestServer(t, newTestOptions(t, "--authentication-token-webhook-config-file="+webhook.kubeconfig(t)), "")
	require.Equal(t, answer{Status: http.StatusUnauthorized}, server.withToken("/version", "secret"))
	require.NotEmpty(t, webhook.received())
}
