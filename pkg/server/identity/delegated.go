package identity

import (
	"context"
	"crypto/x509"
	"fmt"

	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/controlplane"
)

// applyDelegated lets the kube-apiserver in front decide. It is not asked
// anything yet: a server starts without it, and trusts nobody until it is there.
func (o *Options) applyDelegated(authenticationInfo *server.AuthenticationInfo, authorizationInfo *server.AuthorizationInfo, servingInfo *server.SecureServingInfo) error {
	client, err := o.AuthenticationClientConfig()
	if err != nil {
		return err
	}
	if _, err := o.AuthorizationClientConfig(); err != nil {
		return err
	}
	requestHeader := o.Authentication.RequestHeader
	if err := checkCAs(o.Authentication.ClientCert.ClientCA, requestHeader.ClientCAFile, requestHeader.AllowedNames); err != nil {
		return err
	}
	if err := o.applyDelegatedAuthentication(client, authenticationInfo, servingInfo); err != nil {
		return fmt.Errorf("authentication by the kube-apiserver in front: %w", err)
	}
	authorization := *o.Authorization
	if authorization.RemoteKubeConfigFile == "" {
		authorization.RemoteKubeConfigFile = o.Kubeconfig // without both, the library takes the credentials of the pod
	}
	if err := authorization.ApplyTo(authorizationInfo); err != nil {
		return fmt.Errorf("authorization by the kube-apiserver in front: %w", err)
	}
	return nil
}

// applyDelegatedAuthentication does what the library's options do, but for one
// thing: these read the front proxy's authority from kube-apiserver before they
// return, and end the start if they cannot.
func (o *Options) applyDelegatedAuthentication(client *rest.Config, info *server.AuthenticationInfo, serving *server.SecureServingInfo) error {
	options := o.Authentication
	client = rest.CopyConfig(client)
	client.QPS, client.Burst = 200, 400 // the library's
	reviewer, err := kubernetes.NewForConfig(client)
	if err != nil {
		return err
	}
	config := authenticatorfactory.DelegatingAuthenticatorConfig{
		Anonymous:                options.Anonymous,
		CacheTTL:                 options.CacheTTL,
		WebhookRetryBackoff:      options.WebhookRetryBackoff,
		TokenAccessReviewTimeout: options.TokenRequestTimeout,
		TokenAccessReviewClient:  reviewer.AuthenticationV1(),
	}
	if config.ClientCertificateCAContentProvider, err = o.clientCA(reviewer); err != nil {
		return err
	}
	if config.RequestHeaderConfig, err = o.frontProxy(reviewer); err != nil {
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
	info.Authenticator, _, err = config.New()
	return err
}

// clientCA are the authorities of users' certificates; nil: of none.
func (o *Options) clientCA(client kubernetes.Interface) (dynamiccertificates.CAContentProvider, error) {
	switch {
	case o.Authentication.ClientCert.ClientCA != "":
		return o.Authentication.ClientCert.GetClientCAContentProvider()
	case o.Authentication.SkipInClusterLookup:
		return nil, nil
	default:
		return dynamiccertificates.NewDynamicCAFromConfigMapController("client-ca", controlplane.TrustNamespace, controlplane.TrustName, clientCAFlag, client)
	}
}

// frontProxy is who may say in headers who the user is; nil: nobody.
func (o *Options) frontProxy(client kubernetes.Interface) (*authenticatorfactory.RequestHeaderConfig, error) {
	switch {
	case o.Authentication.RequestHeader.ClientCAFile != "":
		return o.Authentication.RequestHeader.ToAuthenticationRequestHeaderConfig()
	case o.Authentication.SkipInClusterLookup:
		return nil, nil
	default:
		return newClusterProxy(client)
	}
}

// clusterProxy follows what kube-apiserver tells of its front proxy: the
// authority, the names that its certificate may have, and the headers.
type clusterProxy struct {
	*dynamiccertificates.ConfigMapCAController
	headers *headerrequest.RequestHeaderAuthRequestController
}

var (
	_ dynamiccertificates.CAContentProvider = &clusterProxy{}
	_ dynamiccertificates.ControllerRunner  = &clusterProxy{}
)

func newClusterProxy(client kubernetes.Interface) (*authenticatorfactory.RequestHeaderConfig, error) {
	authority, err := dynamiccertificates.NewDynamicCAFromConfigMapController("front-proxy-ca", controlplane.TrustNamespace, controlplane.TrustName, requestHeaderCAFlag, client)
	if err != nil {
		return nil, err
	}
	headers := headerrequest.NewRequestHeaderAuthRequestController(controlplane.TrustName, controlplane.TrustNamespace, client,
		"requestheader-username-headers", "requestheader-uid-headers", "requestheader-group-headers",
		"requestheader-extra-headers-prefix", "requestheader-allowed-names")
	following := func(values func() []string) headerrequest.StringSliceProvider {
		return headerrequest.StringSliceProviderFunc(values)
	}
	return &authenticatorfactory.RequestHeaderConfig{
		CAContentProvider:   &clusterProxy{authority, headers},
		UsernameHeaders:     following(headers.UsernameHeaders),
		UIDHeaders:          following(headers.UIDHeaders),
		GroupHeaders:        following(headers.GroupHeaders),
		ExtraHeaderPrefixes: following(headers.ExtraHeaderPrefixes),
		AllowedClientNames:  following(headers.AllowedClientNames),
	}, nil
}

// VerifyOptions implements dynamiccertificates.CAContentProvider. There is no
// front proxy before the names that it may have, and its headers, are known too:
// these are followed apart from its authority, and may come later.
func (p *clusterProxy) VerifyOptions() (x509.VerifyOptions, bool) {
	if len(p.headers.UsernameHeaders()) == 0 {
		return x509.VerifyOptions{}, false
	}
	return p.ConfigMapCAController.VerifyOptions()
}

// RunOnce implements dynamiccertificates.ControllerRunner. It asks nothing, so
// that a kube-apiserver that does not answer does not hold the start up.
func (p *clusterProxy) RunOnce(context.Context) error { return nil }

// Run implements dynamiccertificates.ControllerRunner.
func (p *clusterProxy) Run(ctx context.Context, workers int) {
	go p.ConfigMapCAController.Run(ctx, workers)
	p.headers.Run(ctx, workers)
}
