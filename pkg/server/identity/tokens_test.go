package identity

import (
	"encoding/base64"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
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
}
