package identity

import (
	"cmp"
	"context"
	"fmt"

	"github.com/go-logr/logr"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/authentication/request/union"
	tokencache "k8s.io/apiserver/pkg/authentication/token/cache"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/webhook"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/identity/rbacfile"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/kubeapiserver"
)

// applyDelegatedAuthentication is DelegatingAuthenticationOptions.ApplyTo, with three
// differences. It contacts no kube-apiserver, so this server starts without one, and rejects
// credentials until it answers. It limits the reviews of unknown tokens. And what client-go logs
// of a TokenReview at verbosity 8, its body with the token, is discarded.
func (o *Options) applyDelegatedAuthentication(info *server.AuthenticationInfo, serving *server.SecureServingInfo) error {
	config, err := o.AuthenticationClientConfig()
	if err != nil {
		return err
	}
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = 200, 400 // as in the library
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("delegated authentication by TokenReview: %w", err)
	}
	certificates, err := o.delegatedCertificates(client)
	if err != nil {
		return err
	}
	for _, ca := range []dynamiccertificates.CAContentProvider{certificates.ClientCertificateCAContentProvider, proxyCA(certificates)} {
		if err := info.ApplyClientCert(ca, serving); err != nil {
			return err
		}
	}
	info.RequestHeaderConfig = certificates.RequestHeaderConfig
	reviews, err := webhook.NewFromInterface(client.AuthenticationV1(), nil, *o.Authentication.WebhookRetryBackoff, o.Authentication.TokenRequestTimeout,
		webhook.AuthenticatorMetrics{RecordRequestTotal: authenticatorfactory.RecordRequestTotal, RecordRequestLatency: authenticatorfactory.RecordRequestLatency})
	if err != nil {
		return err
	}
	quiet := authenticator.TokenFunc(func(ctx context.Context, token string) (*authenticator.Response, bool, error) {
		return reviews.AuthenticateToken(klog.NewContext(ctx, logr.Discard()), token)
	})
	info.Authenticator = o.newDelegatedAuthenticator(certificates, newLimitedTokens(tokencache.New(quiet, false, o.Authentication.CacheTTL, o.Authentication.CacheTTL)))
	return nil
}

// newDelegatedAuthenticator authenticates the front proxy, client certificates and tokens, and
// treats only requests without credentials as anonymous.
func (o *Options) newDelegatedAuthenticator(certificates authenticatorfactory.DelegatingAuthenticatorConfig, tokens authenticator.Request) authenticator.Request {
	var all []authenticator.Request
	if proxy := certificates.RequestHeaderConfig; proxy != nil {
		all = append(all, newFrontProxy(proxy))
	}
	if ca := certificates.ClientCertificateCAContentProvider; ca != nil {
		all = append(all, newClientCertificates(ca))
	}
	result := group.NewAuthenticatedGroupAdder(union.New(append(all, tokens)...))
	if o.AnonymousAuth {
		result = union.NewFailOnError(result, anonymous.NewAuthenticator(nil))
	}
	return result
}

// delegatedCertificates returns the CAs of client certificates and of the front proxy: from flags,
// else from kube-apiserver's ConfigMap, else none.
func (o *Options) delegatedCertificates(client kubernetes.Interface) (config authenticatorfactory.DelegatingAuthenticatorConfig, err error) {
	options := o.Authentication
	switch file := options.ClientCert.ClientCA; {
	case file != "":
		if config.ClientCertificateCAContentProvider, err = options.ClientCert.GetClientCAContentProvider(); err != nil {
			return config, fmt.Errorf("--%s=%s: must be a CA bundle, a readable file of PEM certificates: %w", clientCAFlag, file, err)
		}
	case !options.SkipInClusterLookup:
		if config.ClientCertificateCAContentProvider, err = newCAFromConfigMap("client-ca", clientCAFlag, client); err != nil {
			return config, err
		}
	}
	switch file := options.RequestHeader.ClientCAFile; {
	case file != "":
		if config.RequestHeaderConfig, err = options.RequestHeader.ToAuthenticationRequestHeaderConfig(); err != nil {
			return config, fmt.Errorf("--%s=%s: must be a CA bundle, a readable file of PEM certificates: %w", requestHeaderCAFlag, file, err)
		}
	case !options.SkipInClusterLookup:
		config.RequestHeaderConfig, err = newFrontProxyConfig(client)
	}
	return config, err
}

func newCAFromConfigMap(purpose, key string, client kubernetes.Interface) (*dynamiccertificates.ConfigMapCAController, error) {
	return dynamiccertificates.NewDynamicCAFromConfigMapController(purpose, kubeapiserver.TrustNamespace, kubeapiserver.TrustName, key, client)
}

func proxyCA(certificates authenticatorfactory.DelegatingAuthenticatorConfig) dynamiccertificates.CAContentProvider {
	if certificates.RequestHeaderConfig == nil {
		return nil
	}
	return certificates.RequestHeaderConfig.CAContentProvider
}

// frontProxy watches the front proxy's settings in kube-apiserver's ConfigMap. Without its
// headers, which may arrive after its CA bundle, it authenticates nobody.
type frontProxy struct {
	*genericoptions.DynamicRequestHeaderController
}

// RunOnce implements dynamiccertificates.ControllerRunner. It reads nothing, so that
// the start does not depend on kube-apiserver.
func (frontProxy) RunOnce(context.Context) error { return nil }

func newFrontProxyConfig(client kubernetes.Interface) (*authenticatorfactory.RequestHeaderConfig, error) {
	bundle, err := newCAFromConfigMap("front-proxy-ca", requestHeaderCAFlag, client)
	if err != nil {
		return nil, err
	}
	headers := headerrequest.NewRequestHeaderAuthRequestController(kubeapiserver.TrustName, kubeapiserver.TrustNamespace, client,
		"requestheader-username-headers", "requestheader-uid-headers", "requestheader-group-headers",
		"requestheader-extra-headers-prefix", requestHeaderNamesFlag)
	return &authenticatorfactory.RequestHeaderConfig{
		CAContentProvider: frontProxy{&genericoptions.DynamicRequestHeaderController{
			ConfigMapCAController: bundle, RequestHeaderAuthRequestController: headers,
		}},
		UsernameHeaders:     headerrequest.StringSliceProviderFunc(headers.UsernameHeaders),
		UIDHeaders:          headerrequest.StringSliceProviderFunc(headers.UIDHeaders),
		GroupHeaders:        headerrequest.StringSliceProviderFunc(headers.GroupHeaders),
		ExtraHeaderPrefixes: headerrequest.StringSliceProviderFunc(headers.ExtraHeaderPrefixes),
		AllowedClientNames:  headerrequest.StringSliceProviderFunc(headers.AllowedClientNames),
	}, nil
}

// applyDelegatedAuthorization asks the kube-apiserver in front about unauthenticated clients apart
// from users, with a client, a limit and a cache of their own. Impersonation is authorized as the
// client that attempts it, before flow control, so that flow control cannot bound it.
func (o *Options) applyDelegatedAuthorization(info *server.AuthorizationInfo) error {
	if _, err := o.AuthorizationClientConfig(); err != nil {
		return err
	}
	options := *o.Authorization
	options.RemoteKubeConfigFile = cmp.Or(options.RemoteKubeConfigFile, o.Kubeconfig) // without either, the library uses the credentials of the pod
	options.AlwaysAllowPaths = nil                                                    // for all methods
	var users, unauthenticated server.AuthorizationInfo
	if err := options.ApplyTo(&users); err != nil {
		return fmt.Errorf("delegated authorization by SubjectAccessReview: %w", err)
	}
	limit := newAccessLimit()
	options.WithCustomRoundTripper(limit.transport)
	if err := options.ApplyTo(&unauthenticated); err != nil {
		return fmt.Errorf("delegated authorization by SubjectAccessReview: %w", err)
	}
	readable := []rbacv1.PolicyRule{o.readablePaths()}
	builtIn := rbacfile.NewBuiltIn(map[string][]rbacv1.PolicyRule{user.AllUnauthenticated: readable, user.AllAuthenticated: readable})
	info.Authorizer = firstOpinion([]authorizer.AuthorizerFunc{builtIn.Authorize, limit.authorizer(users.Authorizer, unauthenticated.Authorizer)})
	return nil
}
