package server

import (
	"bytes"
	"errors"
	"fmt"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/kubeapiserver"
)

// kubeAPIServer reaches the kube-apiserver in front of this server, which has the
// admission webhooks and policies that apply to these objects too.
type kubeAPIServer struct {
	client    kubernetes.Interface
	dynamic   dynamic.Interface
	informers informers.SharedInformerFactory
	// mutating is nil if the cluster's mutating policies do not apply here.
	mutating *kubeapiserver.MutatingPolicies
}

// connectKubeAPIServer puts the cluster's webhooks and policies before each write. It returns nil
// for a server that runs alone.
func connectKubeAPIServer(c CompletedConfig, generic *genericapiserver.Config) (*kubeAPIServer, error) {
	config, err := c.Identity.ClientConfig()
	if err != nil || config == nil {
		return nil, err
	}
	p := &kubeAPIServer{}
	if p.client, err = kubernetes.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("client of the kube-apiserver: %w", err)
	}
	if p.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("client of the kube-apiserver: %w", err)
	}
	p.informers = informers.NewSharedInformerFactory(p.client, 0)
	err = errors.Join(kubeapiserver.ForgetOtherPolicies(p.informers), p.apply(copied(c.Admission), generic))
	if err != nil {
		if file := c.Admission.ConfigFile; file != "" {
			return nil, fmt.Errorf("--admission-control-config-file=%s: %w", file, err)
		}
		return nil, fmt.Errorf("admission: %w", err)
	}
	return p, nil
}

// sharedInformers are the informers of admission, nil without any.
func (p *kubeAPIServer) sharedInformers() informers.SharedInformerFactory {
	if p == nil {
		return nil
	}
	return p.informers
}

// newMonitor returns the checks of the kube-apiserver in front, nil if there is none.
func newMonitor(c CompletedConfig, generic *genericapiserver.Config, p *kubeAPIServer) (*kubeapiserver.Monitor, error) {
	if p == nil {
		return nil, nil
	}
	config := kubeapiserver.Config{
		MutatingPolicies: p.mutating,
		TrustOptional:    c.Identity.Authentication.TolerateInClusterLookupFailure,
		Informers:        p.informers,
		Clock:            c.Clock,
		Log:              klog.Background().WithName("kube-apiserver"),
	}
	var err error
	if config.Authentication, err = c.Identity.AuthenticationClientConfig(); err != nil {
		return nil, err
	}
	if config.Authorization, err = c.Identity.AuthorizationClientConfig(); err != nil {
		return nil, err
	}
	if options := c.Identity.Authentication; !options.SkipInClusterLookup {
		config.Trust = &kubeapiserver.Trust{
			ClientCA:   options.ClientCert.ClientCA == "",
			FrontProxy: options.RequestHeader.ClientCAFile == "",
			Knows:      func(bundle string) bool { return trusts(generic, bundle) },
		}
	}
	monitor, err := kubeapiserver.New(config)
	if err != nil {
		return nil, err
	}
	return monitor, generic.AddPostStartHook("kube-apiserver-monitor", func(hook genericapiserver.PostStartHookContext) error {
		// Informers first: the monitor takes those not started for not needed.
		p.informers.Start(hook.Done())
		go monitor.Run(hook)
		return nil
	})
}

// trusts reports whether a server trusts the CA bundle, and has the settings of
// the front proxy, if one is used.
func trusts(generic *genericapiserver.Config, bundle string) bool {
	if proxy := generic.Authentication.RequestHeaderConfig; proxy != nil {
		if _, known := proxy.CAContentProvider.VerifyOptions(); !known || len(proxy.UsernameHeaders.Value()) == 0 {
			return false
		}
	}
	return bytes.Contains(generic.SecureServing.ClientCA.CurrentCABundleContent(), bytes.TrimSpace([]byte(bundle)))
}
