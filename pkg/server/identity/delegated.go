package identity

import (
	"context"
	"crypto/x509"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authentication/request/websocket"
	tokencache "k8s.io/apiserver/pkg/authentication/token/cache"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/webhook"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/identity/rbacfile"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/kubeapiserver"
)

// applyDelegated delegates to the kube-apiserver in front. It does not contact
// kube-apiserver: this server starts without it and rejects credentials until it
// answers.
func (o *Options) applyDelegated(authenticationInfo *server.AuthenticationInfo, authorizationInfo *server.AuthorizationInfo, servingInfo *server.SecureServingInfo) error {
	client, err := o.AuthenticationClientConfig()
	if err != nil {
		return err
	}
	if _, err := o.AuthorizationClientConfig(); err != nil {
		return err
	}
	requestHeader := o.Authentication.RequestHeader
	if err := checkCABundles([]string{o.Authentication.ClientCert.ClientCA}, requestHeader.ClientCAFile, requestHeader.AllowedNames); err != nil {
		return err
	}
	if err := o.applyDelegatedAuthentication(client, authenticationInfo, servingInfo); err != nil {
		return fmt.Errorf("delegated authentication by TokenReview: %w", err)
	}
	authorization := *o.Authorization
	if authorization.RemoteKubeConfigFile == "" {
		authorization.RemoteKubeConfigFile = o.Kubeconfig // without either, the library uses the credentials of the pod
	}
	readable, err := o.readablePaths()
	if err != nil {
		return err
	}
	authorization.AlwaysAllowPaths = nil // for all methods
	delegated, err := newDelegatedAuthorizer(authorization)
	if err != nil {
		return fmt.Errorf("delegated authorization by SubjectAccessReview: %w", err)
	}
	builtIn := rbacfile.NewBuiltIn(map[string][]rbacv1.PolicyRule{user.AllUnauthenticated: {readable}, user.AllAuthenticated: {readable}})
	authorizationInfo.Authorizer, err = newAuthorizerUnion(
		namedAuthorizer{"built-in", authorizer.AuthorizerFunc(builtIn.Authorize)},
		namedAuthorizer{"delegated", authorizer.AuthorizerFunc(delegated.Authorize)})
	return err
}

// applyDelegatedAuthentication is DelegatingAuthenticationOptions.ApplyTo, except
// that it does not read the front proxy's CA bundle from kube-apiserver: the
// library does, and fails the start if it cannot.
func (o *Options) applyDelegatedAuthentication(client *rest.Config, info *server.AuthenticationInfo, serving *server.SecureServingInfo) error {
	options := o.Authentication
	client = rest.CopyConfig(client)
	client.QPS, client.Burst = 200, 400 // as in the library
	reviewer, err := kubernetes.NewForConfig(client)
	if err != nil {
		return err
	}
	reviews, err := webhook.NewFromInterface(reviewer.AuthenticationV1(), nil, *options.WebhookRetryBackoff, options.TokenRequestTimeout, webhook.AuthenticatorMetrics{
		RecordRequestTotal:   authenticatorfactory.RecordRequestTotal,
		RecordRequestLatency: authenticatorfactory.RecordRequestLatency,
	})
	if err != nil {
		return err
	}
	tokens := tokencache.New(quietTokens{reviews}, false, options.CacheTTL, options.CacheTTL)
	config := authenticatorfactory.DelegatingAuthenticatorConfig{}
	if config.ClientCertificateCAContentProvider, err = o.clientCA(reviewer); err != nil {
		return err
	}
	if config.RequestHeaderConfig, err = o.requestHeaderConfig(reviewer); err != nil {
		return err
	}
	if err := info.ApplyClientCert(config.ClientCertificateCAContentProvider, serving); err != nil {
		return err
	}
	if proxy := config.RequestHeaderConfig; proxy != nil {
		info.RequestHeaderConfig = proxy
		if err := info.ApplyClientCert(proxy.CAContentProvider, serving); err != nil {
			return err
		}
	}
	info.Authenticator, err = o.newDelegatedAuthenticator(config, tokens)
	return err
}

// newDelegatedAuthenticator joins the authenticators of certificates and of tokens.
func (o *Options) newDelegatedAuthenticator(certificates authenticatorfactory.DelegatingAuthenticatorConfig, tokens authenticator.Token) (authenticator.Request, error) {
	result := &delegatedAuthenticator{}
	if certificates.ClientCertificateCAContentProvider != nil || certificates.RequestHeaderConfig != nil {
		byCertificate, _, err := certificates.New()
		if err != nil {
			return nil, err
		}
		result.certificates = byCertificate
	}
	byToken := group.NewAuthenticatedGroupAdder(union.New(bearertoken.New(tokens), websocket.NewProtocolAuthenticator(tokens)))
	result.tokens = newLimitedTokens(byToken, newReviewLimit("TokenReview", unknownTokenRate, unknownTokenBurst, unknownTokensInFlight))
	if o.AnonymousAuth {
		result.anonymous = anonymous.NewAuthenticator(nil)
	}
	return result, nil
}

// clientCA returns the CA bundle for client certificates, or nil to accept none.
func (o *Options) clientCA(client kubernetes.Interface) (dynamiccertificates.CAContentProvider, error) {
	switch {
	case o.Authentication.ClientCert.ClientCA != "":
		return o.Authentication.ClientCert.GetClientCAContentProvider()
	case o.Authentication.SkipInClusterLookup:
		return nil, nil
	default:
		return dynamiccertificates.NewDynamicCAFromConfigMapController("client-ca", kubeapiserver.TrustNamespace, kubeapiserver.TrustName, clientCAFlag, client)
	}
}

// requestHeaderConfig returns which front proxy may name users in request headers,
// or nil to trust none.
func (o *Options) requestHeaderConfig(client kubernetes.Interface) (*authenticatorfactory.RequestHeaderConfig, error) {
	switch {
	case o.Authentication.RequestHeader.ClientCAFile != "":
		return o.Authentication.RequestHeader.ToAuthenticationRequestHeaderConfig()
	case o.Authentication.SkipInClusterLookup:
		return nil, nil
	default:
		return newFrontProxyConfig(client)
	}
}

// frontProxyController watches the front proxy's settings in kube-apiserver's
// ConfigMap: the CA bundle, the allowed common names and the request headers.
type frontProxyController struct {
	*dynamiccertificates.ConfigMapCAController
	headers *headerrequest.RequestHeaderAuthRequestController
}

var (
	_ dynamiccertificates.CAContentProvider = &frontProxyController{}
	_ dynamiccertificates.ControllerRunner  = &frontProxyController{}
)

func newFrontProxyConfig(client kubernetes.Interface) (*authenticatorfactory.RequestHeaderConfig, error) {
	caBundle, err := dynamiccertificates.NewDynamicCAFromConfigMapController("front-proxy-ca", kubeapiserver.TrustNamespace, kubeapiserver.TrustName, requestHeaderCAFlag, client)
	if err != nil {
		return nil, err
	}
	headers := headerrequest.NewRequestHeaderAuthRequestController(kubeapiserver.TrustName, kubeapiserver.TrustNamespace, client,
		"requestheader-username-headers", "requestheader-uid-headers", "requestheader-group-headers",
		"requestheader-extra-headers-prefix", requestHeaderNamesFlag)
	dynamic := func(values func() []string) headerrequest.StringSliceProvider {
		return headerrequest.StringSliceProviderFunc(values)
	}
	return &authenticatorfactory.RequestHeaderConfig{
		CAContentProvider:   &frontProxyController{caBundle, headers},
		UsernameHeaders:     dynamic(headers.UsernameHeaders),
		UIDHeaders:          dynamic(headers.UIDHeaders),
		GroupHeaders:        dynamic(headers.GroupHeaders),
		ExtraHeaderPrefixes: dynamic(headers.ExtraHeaderPrefixes),
		AllowedClientNames:  dynamic(headers.AllowedClientNames),
	}, nil
}

// VerifyOptions implements dynamiccertificates.CAContentProvider. It trusts no
// front proxy before the headers and allowed names are known: they come from another
// informer than the CA bundle and may arrive later.
func (c *frontProxyController) VerifyOptions() (x509.VerifyOptions, bool) {
	if len(c.headers.UsernameHeaders()) == 0 {
		return x509.VerifyOptions{}, false
	}
	return c.ConfigMapCAController.VerifyOptions()
}

// RunOnce implements dynamiccertificates.ControllerRunner. It reads nothing, so that
// the start does not depend on kube-apiserver.
func (c *frontProxyController) RunOnce(context.Context) error { return nil }

// Run implements dynamiccertificates.ControllerRunner.
func (c *frontProxyController) Run(ctx context.Context, workers int) {
	go c.ConfigMapCAController.Run(ctx, workers)
	c.headers.Run(ctx, workers)
}
