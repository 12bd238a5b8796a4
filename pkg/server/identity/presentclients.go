package identity

import (
	"net/http"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
)

// presentClients authenticates no client that left after its request began: on a busy server, while
// the request waited for a processor.
type presentClients struct{ authenticator.Request }

// AuthenticateRequest implements authenticator.Request.
func (p presentClients) AuthenticateRequest(request *http.Request) (*authenticator.Response, bool, error) {
	filters.AbortIfClientLeft(request)
	if info, ok := apirequest.RequestInfoFrom(request.Context()); ok && info.Verb != "watch" {
		filters.GrowStack()
	}
	return p.Request.AuthenticateRequest(request)
}
