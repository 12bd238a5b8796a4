package behind

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func testDelegatedRequests(t *testing.T, s *besideSite) {
	t.Run("a user arrives the same on both ways", func(t *testing.T) { testUsers(t, s) })
	t.Run("strangers see health alone", func(t *testing.T) { testStrangers(t, s) })
	t.Run("self-reviews are kube-apiserver's own", func(t *testing.T) { testSelfReviews(t, s) })
	t.Run("webhooks and policies of the cluster take effect", func(t *testing.T) { testAdmission(t, s) })
	s.forgetAdmission(t)
}

// testSelfReviews asks kube-apiserver, which answers, and this server, which does not serve
// these groups behind a kube-apiserver: it would answer for its own authorizer alone.
func testSelfReviews(t *testing.T, s *besideSite) {
	direct, admin := s.directly(t).as(s.admin(t)), s.Config(t)
	for _, path := range []string{
		"/apis/authentication.k8s.io/v1/selfsubjectreviews", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
	} {
		const body = `{"spec":{"namespace":"default","nonResourceAttributes":{"path":"/version","verb":"get"}}}`
		require.Equal(t, http.StatusCreated, send(t, admin, http.MethodPost, path, body).Code, path)
		require.Equal(t, http.StatusNotFound, send(t, direct, http.MethodPost, path, body).Code, path)
	}
	for _, path := range []string{"/", "/apis", "/openapi/v2", "/openapi/v3"} {
		require.NotRegexp(t, `authentication\.k8s\.io|authorization\.k8s\.io`, send(t, direct, http.MethodGet, path, "").Body, path)
	}
}

// testStrangers sends requests without credentials and with invalid ones.
func testStrangers(t *testing.T, s *besideSite) {
	for _, way := range s.ways(t) {
		require.Equal(t, http.StatusForbidden, send(t, way.as(), http.MethodGet, objectsPath, "").Code, way.name)
		require.Equal(t, http.StatusUnauthorized, send(t, way.as(withToken("wrong")), http.MethodGet, objectsPath, "").Code, way.name)
	}
	for path, code := range map[string]int{
		"/healthz": 200, "/livez": 200, "/readyz": 200,
		"/version": 200, // by kube-apiserver's role system:public-info-viewer
		"/metrics": 403, "/apis": 403, "/openapi/v2": 403, "/debug/api_priority_and_fairness/dump_requests": 403, basePath: 403, "/none": 403,
	} {
		require.Equal(t, code, send(t, s.directly(t).as(), http.MethodGet, path, "").Code, path)
	}
}

// forgetAdmission deletes all webhooks and policies. Servers that still have the
// webhooks cached can call them: the webhooks end with the site.
func (s *besideSite) forgetAdmission(t *testing.T) {
	t.Helper()
	s.kubectl.Run(t, "delete", "mutatingwebhookconfigurations,validatingwebhookconfigurations", "--selector="+ownLabel)
	s.kubectl.RunInput(t, policy, "delete", "-f", "-")
}
