package identity

import (
	"context"
	"crypto/x509"

	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/client-go/kubernetes"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/controlplane"
)

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
