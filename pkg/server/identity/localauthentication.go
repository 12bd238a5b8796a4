package identity

import (
	"context"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authentication/request/websocket"
	tokencache "k8s.io/apiserver/pkg/authentication/token/cache"
	tokenunion "k8s.io/apiserver/pkg/authentication/token/union"
	"k8s.io/apiserver/pkg/server"
)

// applyLocalAuthentication sets the authenticators in kube-apiserver's order: front
// proxy, client certificate, tokens checked in this process, tokens checked by the
// webhook and, without any credentials, anonymous.
func (o *Options) applyLocalAuthentication(ctx context.Context, info *server.AuthenticationInfo, serving *server.SecureServingInfo, defaultClientCAFile string) error {
	audiences := authenticator.Audiences(o.Local.APIAudiences)
	info.APIAudiences = audiences

	authenticators, err := o.certificateAuthenticators(info, serving, defaultClientCAFile)
	if err != nil {
		return err
	}
	jwt, anonymousConfig, err := o.newJWTAuthenticator(ctx)
	if err != nil {
		return err
	}
	tokens, err := o.tokenAuthenticators(jwt, audiences)
	if err != nil {
		return err
	}
	if len(tokens) > 0 {
		token := tokencache.New(tokenunion.New(tokens...), true, tokenSuccessTTL, tokenFailureTTL)
		authenticators = append(authenticators, bearertoken.New(token), websocket.NewProtocolAuthenticator(token))
	}
	result := group.NewAuthenticatedGroupAdder(union.New(authenticators...))
	if anonymous := newAnonymous(anonymousConfig); anonymous != nil {
		// Invalid credentials are rejected, not treated as anonymous.
		result = union.NewFailOnError(result, anonymous)
	}
	info.Authenticator = result
	return nil
}
