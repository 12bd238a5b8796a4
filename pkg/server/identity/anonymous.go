package identity

import (
	"net/http"
	"strings"

	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
)

// newAnonymous returns who a request is that presents nothing: nobody but on the
// health paths, unless the configuration says otherwise. It returns nil if there
// are no anonymous requests at all.
func newAnonymous(configured *apiserver.AnonymousAuthConfig) authenticator.Request {
	switch {
	case configured == nil:
		return healthAnonymous{anonymous.NewAuthenticator(nil)}
	case configured.Enabled:
		return anonymous.NewAuthenticator(configured.Conditions)
	default:
		return nil
	}
}

// healthAnonymous lets anonymous requests through to the health paths only.
type healthAnonymous struct{ delegate authenticator.Request }

var _ authenticator.Request = healthAnonymous{}

// AuthenticateRequest implements authenticator.Request.
func (a healthAnonymous) AuthenticateRequest(req *http.Request) (*authenticator.Response, bool, error) {
	if !isHealthPath(req.URL.Path) {
		return nil, false, nil
	}
	return a.delegate.AuthenticateRequest(req)
}

// isHealthPath tells whether a path is one of the health endpoints or one of
// their checks.
func isHealthPath(path string) bool {
	for _, endpoint := range []string{"/livez", "/readyz", "/healthz"} {
		if path == endpoint || strings.HasPrefix(path, endpoint+"/") {
			return true
		}
	}
	return false
}
