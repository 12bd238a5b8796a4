package identity

import (
	"context"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authentication/request/websocket"
	"k8s.io/apiserver/pkg/authentication/request/x509"
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

// certificateAuthenticators are the sources that a TLS client certificate proves.
func (o *Options) certificateAuthenticators(info *server.AuthenticationInfo, serving *server.SecureServingInfo, defaultClientCAFile string) ([]authenticator.Request, error) {
	clientCAFile := o.Authentication.ClientCert.ClientCA
	if clientCAFile == "" {
		clientCAFile = defaultClientCAFile
	}
	requestHeader := o.Authentication.RequestHeader
	if err := checkCAs(clientCAFile, requestHeader.ClientCAFile, requestHeader.AllowedNames); err != nil {
		return nil, err
	}

	var result []authenticator.Request
	if clientCAFile != "" {
		bundle, err := followCA(clientCAFlag, "client-ca-bundle", clientCAFile)
		if err != nil {
			return nil, err
		}
		if err := info.ApplyClientCert(bundle, serving); err != nil {
			return nil, err
		}
		result = append(result, x509.NewDynamic(bundle.VerifyOptions, x509.CommonNameUserConversion))
	}
	proxy, err := requestHeader.ToAuthenticationRequestHeaderConfig()
	if err != nil || proxy == nil {
		return result, err
	}
	if err := info.ApplyClientCert(proxy.CAContentProvider, serving); err != nil {
		return nil, err
	}
	info.RequestHeaderConfig = proxy
	front := headerrequest.NewDynamicVerifyOptionsSecure(proxy.CAContentProvider.VerifyOptions,
		proxy.AllowedClientNames, proxy.UsernameHeaders, proxy.UIDHeaders, proxy.GroupHeaders, proxy.ExtraHeaderPrefixes)
	return append([]authenticator.Request{front}, result...), nil
}

// tokenAuthenticators are the sources that a bearer token proves.
func (o *Options) tokenAuthenticators(jwt *jwtSource, audiences authenticator.Audiences) ([]authenticator.Token, error) {
	var result []authenticator.Token
	if o.Local.TokenFile != "" {
		file, err := newTokenFile(o.Local.TokenFile)
		if err != nil {
			return nil, err
		}
		result = append(result, file)
	}
	if jwt.tokens != nil {
		result = append(result, jwt.tokens)
	}
	if o.Local.TokenWebhookFile != "" {
		webhook, err := o.newTokenWebhook(audiences)
		if err != nil {
			return nil, err
		}
		result = append(result, webhook)
	}
	return result, nil
}
