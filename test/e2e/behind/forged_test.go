package behind

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// testForgedHeaders sends the front proxy's headers with other certificates.
func testForgedHeaders(t *testing.T, s *besideSite) {
	forged := []string{"X-Remote-User: admin", "X-Remote-Group: system:masters"}
	front, joe := s.proxyCA, s.serviceAccountToken(t, "joe")
	for name, c := range map[string]struct {
		credentials []credential
		code        int
	}{
		"with the front proxy's certificate":              {[]credential{withCertificate(front.Client(t, proxyName))}, http.StatusOK},
		"without a certificate":                           {nil, http.StatusForbidden},
		"with a user's certificate":                       {[]credential{withCertificate(s.clientCA.Client(t, "jane"))}, http.StatusForbidden},
		"with a user's token":                             {[]credential{joe}, http.StatusForbidden},
		"with a certificate of another authority":         {[]credential{withCertificate(harness.NewCA(t, "other").Client(t, proxyName))}, http.StatusUnauthorized},
		"with the authority's, but a name not allowed":    {[]credential{withCertificate(front.Client(t, "someone"))}, http.StatusUnauthorized},
		"with the right name, of the users' authority":    {[]credential{withCertificate(s.clientCA.Client(t, proxyName))}, http.StatusForbidden},
		"as system:masters of the front proxy's own name": {[]credential{withCertificate(front.Client(t, "someone", "system:masters"))}, http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			reply := send(t, s.directly(t).as(c.credentials...), http.MethodGet, objectsPath, "", forged...)
			require.Equal(t, c.code, reply.Code, reply.Body)
			require.NotContains(t, reply.Body, `"admin"`, "nobody is taken for the forged user")
		})
	}
	t.Run("through the aggregator the user's own name goes on", func(t *testing.T) {
		reply := send(t, s.aggregated(t).as(joe), http.MethodGet, objectsPath, "", forged...)
		require.Equal(t, http.StatusForbidden, reply.Code, reply.Body)
		require.Contains(t, reply.Body, "system:serviceaccount:default:joe")
	})
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
