package identity

import (
	"net/http"

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
