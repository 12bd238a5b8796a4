package identity

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/authentication/request/websocket"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
)

// goodToken is the only token that a fuzzed authenticator accepts.
const goodToken = "good"

// readsTokens reports whether the readers of the library find a token in a request, valid
// or not.
func readsTokens(request *http.Request) bool {
	found := false
	note := authenticator.TokenFunc(func(context.Context, string) (*authenticator.Response, bool, error) {
		found = true
		return nil, false, nil
	})
	for _, reader := range []authenticator.Request{bearertoken.New(note), websocket.NewProtocolAuthenticator(note)} {
		if _, _, err := reader.AuthenticateRequest(request.Clone(request.Context())); err != nil {
			found = true
		}
	}
	return found
}

// newFuzzedAuthenticator returns the authenticator behind a kube-apiserver without limits.
func newFuzzedAuthenticator(f *testing.F) authenticator.Request {
	f.Helper()
	bundle, err := dynamiccertificates.NewStaticCAContent("front-proxy", newCA(f, "proxies").pem)
	require.NoError(f, err)
	headers := func(names ...string) headerrequest.StringSliceProvider { return headerrequest.StaticStringSlice(names) }
	proxy := &authenticatorfactory.RequestHeaderConfig{
		CAContentProvider: bundle, UsernameHeaders: headers("X-Remote-User"), UIDHeaders: headers("X-Remote-Uid"),
		GroupHeaders: headers("X-Remote-Group"), ExtraHeaderPrefixes: headers("X-Remote-Extra-"), AllowedClientNames: headers("front"),
	}
	limited := newLimitedTokens(authenticator.TokenFunc(func(_ context.Context, token string) (*authenticator.Response, bool, error) {
		return &authenticator.Response{User: &user.DefaultInfo{Name: "alice"}}, token == goodToken, nil
	}))
	limited.addresses.trusted = rate.NewLimiter(rate.Inf, 1)
	return NewOptions().newDelegatedAuthenticator(authenticatorfactory.DelegatingAuthenticatorConfig{RequestHeaderConfig: proxy}, limited)
}

// FuzzCredentials checks that only the right token makes a user of a client, and that a
// client with another token is not anonymous, whatever its headers are.
func FuzzCredentials(f *testing.F) {
	protocol := "base64url.bearer.authorization.k8s.io." + base64.RawURLEncoding.EncodeToString([]byte(goodToken))
	f.Add("Bearer good", "", "", "X-Remote-User", "admin")
	f.Add("bearer  good", "websocket", protocol+", v4.channel.k8s.io", "X-Remote-Group", "system:masters")
	f.Add("Basic Z29vZDo=", "WebSocket", "base64url.bearer.authorization.k8s.io.@@", "Upgrade", "websocket")
	f.Add("", "websocket", protocol, "Sec-Websocket-Protocol", "base64url.bearer.authorization.k8s.io.eA,x")
	f.Add("Bearer\tgood", "", "", "Authorization", "Bearer good")
	authenticate := newFuzzedAuthenticator(f)
	count := 0
	f.Fuzz(func(t *testing.T, authorization, upgrade, protocols, name, value string) {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, objects, nil)
		count++ // each address has a limit of its own
		request.RemoteAddr = fmt.Sprintf("host-%d:1", count)
		for header, content := range map[string]string{"Authorization": authorization, "Upgrade": upgrade, "Sec-WebSocket-Protocol": protocols} {
			if content != "" {
				request.Header.Set(header, content)
			}
		}
		request.Header.Set("Connection", "Upgrade")
		request.Header.Add(name, value)
		hasToken := readsTokens(request)
		response, ok, err := authenticate.AuthenticateRequest(request)
		switch {
		case err != nil || !ok:
			require.True(t, hasToken, "a client without a token is anonymous: %v", err)
		case response.User.GetName() == user.Anonymous:
			require.False(t, hasToken)
			require.Equal(t, []string{user.AllUnauthenticated}, response.User.GetGroups())
		default:
			require.Equal(t, "alice", response.User.GetName())
			require.Equal(t, []string{user.AllAuthenticated}, response.User.GetGroups())
		}
	})
}
