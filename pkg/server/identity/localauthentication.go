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

// applyLocalAuthentication asks the sources in kube-apiserver's order: the front
// proxy, the client certificate, the tokens that are checked here, the tokens that
// others check, and last, if nothing was presented at all, nobody.
func (o *Options) applyLocalAuthentication(ctx context.Context, info *server.AuthenticationInfo, serving *server.SecureServingInfo, defaultClientCAFile string) error {
	audiences := authenticator.Audiences(o.Local.APIAudiences)
	info.APIAudiences = audiences

	certificates, err := o.certificateAuthenticators(info, serving, defaultClientCAFile)
	if err != nil {
		return err
	}
	jwt, err := o.newJWTSource(ctx)
	if err != nil {
		return err
	}
	tokens, err := o.tokenAuthenticators(jwt, audiences)
	if err != nil {
		return err
	}

	authenticators := certificates
	if len(tokens) > 0 {
		token := tokencache.New(tokenunion.New(tokens...), true, tokenSuccessCacheTTL, tokenFailureCacheTTL)
		authenticators = append(authenticators, bearertoken.New(token), websocket.NewProtocolAuthenticator(token))
	}
	result := group.NewAuthenticatedGroupAdder(union.New(authenticators...))
	if anonymous := newAnonymous(jwt.anonymous); anonymous != nil {
		// Who presents something that does not hold is refused, not anonymous.
		result = union.NewFailOnError(result, anonymous)
	}
	info.Authenticator = result
	return nil
}
