package identity

import (
	"net/http"
	"strings"

	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
)

// newAnonymous returns the authenticator of requests without credentials. Unless
// configured, it accepts them on the health endpoints only. It is nil if anonymous
// requests are disabled.
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

// healthAnonymous accepts anonymous requests on the health endpoints only. The
// library's conditions match exact paths, not the checks below an endpoint.
type healthAnonymous struct{ delegate authenticator.Request }

var _ authenticator.Request = healthAnonymous{}

// AuthenticateRequest implements authenticator.Request.
func (a healthAnonymous) AuthenticateRequest(req *http.Request) (*authenticator.Response, bool, error) {
	if !isHealthPath(req.URL.Path) {
		return nil, false, nil
	}
	return a.delegate.AuthenticateRequest(req)
}

// isHealthPath reports whether path is a health endpoint or one of its checks.
func isHealthPath(path string) bool {
	for _, endpoint := range []string{"/livez", "/readyz", "/healthz"} {
		if path == endpoint || strings.HasPrefix(path, endpoint+"/") {
			return true
		}
	}
	return false
}
