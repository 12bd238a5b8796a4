package identity

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

func TestAnonymousReachesHealthAndVersionOnlyUnlessConfigured(t *testing.T) {
	cluster := newReviewer(t)
	cluster.allow = func(authorizationv1.SubjectAccessReviewSpec) bool { return true }
	delegated := []string{"--kubeconfig=" + cluster.kubeconfig(t), "--authentication-skip-lookup"}
	config := func(anonymous string) string {
		return "--authentication-config=" + writeFile(t, "authentication.yaml", configOf("v1beta1")+"anonymous: "+anonymous+"\n")
	}
	const health, check, other, version = "/livez", "/readyz/etcd", "/livezz", "/version"
	tests := []struct {
		name  string
		flags []string
		want  map[string]int
	}{
		{"no configuration", nil, map[string]int{health: 200, check: 401, "/healthz": 200, other: 401, version: 200, "/version/": 200, "/versions": 401, "/version/x": 401, objects: 401, "/metrics": 401}},
		{"a configuration without anonymous access", []string{"--authentication-config=" + writeFile(t, "a.yaml", configOf("v1beta1"))}, map[string]int{health: 200, check: 401, version: 200}},
		{"disabled", []string{config("{enabled: false}")}, map[string]int{health: 401, check: 401, version: 401}},
		{"enabled for one path", []string{config("{enabled: true, conditions: [{path: /livez}]}")}, map[string]int{health: 200, check: 401, version: 401}},
		{"disabled by a flag", []string{"--anonymous-auth=false"}, map[string]int{health: 401, version: 401}},
		{"behind a kube-apiserver", delegated, map[string]int{health: 200, objects: 200}},
		{"disabled behind a kube-apiserver", append(slices.Clone(delegated), "--anonymous-auth=false"), map[string]int{health: 401}},
		{"enabled everywhere, but not authorized", []string{config("{enabled: true}")}, map[string]int{health: 200, check: 200, version: 200, objects: 403}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newTestServer(t, newTestOptions(t, test.flags...), "")
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
	twice := config("{enabled: true}")
	_, err := apply(t, newTestOptions(t, "--anonymous-auth=false", twice), "")
	require.ErrorContains(t, err, "--anonymous-auth=false and anonymous in "+twice+" are mutually exclusive")
}

// A request may have waited for a processor since the first filter saw it.
func TestAClientThatHasLeftIsNotAuthenticated(t *testing.T) {
	for name, flags := range map[string][]string{
		"alone":                   nil,
		"behind a kube-apiserver": {"--kubeconfig=" + newReviewer(t).kubeconfig(t), "--authentication-skip-lookup"},
	} {
		applied, err := apply(t, newTestOptions(t, flags...), "")
		require.NoError(t, err)
		ctx, leave := context.WithCancel(t.Context())
		request := httptest.NewRequestWithContext(ctx, http.MethodGet, "/livez", nil)
		request.ProtoMajor = 2
		request = request.WithContext(apirequest.WithRequestInfo(ctx, &apirequest.RequestInfo{Path: "/livez"}))
		_, ok, err := applied.authentication.Authenticator.AuthenticateRequest(request)
		require.NoError(t, err)
		require.True(t, ok, name)
		leave()
		require.PanicsWithValue(t, http.ErrAbortHandler, func() { _, _, _ = applied.authentication.Authenticator.AuthenticateRequest(request) }, name)
	}
}
