package server

import (
	"bytes"
	"context"
	"fmt"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
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

func (s *Server) connectKubeAPIServer(context.Context) error {
	config, err := s.config.Identity.ClientConfig()
	if err != nil || config == nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("client of the kube-apiserver: %w", err)
	}
	dynamicClient, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("client of the kube-apiserver: %w", err)
	}
	s.kubeAPIServer = &kubeAPIServer{client: client, dynamic: dynamicClient, informers: informers.NewSharedInformerFactory(client, 0)}
	return nil
}

// applyAdmission puts the cluster's webhooks and policies before each write. A
// server that runs alone has none.
func (s *Server) applyAdmission(context.Context) error {
	if s.kubeAPIServer == nil {
		return nil
	}
	if file := s.config.Admission.ConfigFile; file != "" {
		if err := checkAdmissionConfiguration(file); err != nil {
			return fmt.Errorf("--admission-control-config-file=%s: %w", file, err)
		}
	}
	if err := kubeapiserver.ForgetOtherPolicies(s.kubeAPIServer.informers); err != nil {
		return fmt.Errorf("admission: %w", err)
	}
	if err := s.kubeAPIServer.apply(s.config.Admission, s.generic); err != nil {
		if file := s.config.Admission.ConfigFile; file != "" {
			return fmt.Errorf("--admission-control-config-file=%s: %w", file, err)
		}
		return fmt.Errorf("admission: %w", err)
	}
	return nil
}

// watchKubeAPIServer adds the checks of the kube-apiserver in front to /readyz.
func (s *Server) watchKubeAPIServer(context.Context) error {
	if s.kubeAPIServer == nil {
		return nil
	}
	config, err := s.monitorConfig()
	if err != nil {
		return err
	}
	monitor, err := kubeapiserver.New(config)
	if err != nil {
		return err
	}
	if err := s.metrics.Register(monitor.Metrics()); err != nil {
		return err
	}
	for _, check := range monitor.Checks() {
		s.generic.AddReadyzChecks(check)
		s.chain.checkMessages = append(s.chain.checkMessages,
			filters.CheckMessage{Check: check.Name(), Message: check.Message, WhilePassing: true})
	}
	s.chain.checkMessages = append(s.chain.checkMessages,
		filters.FailureMessage("informer-sync", "the cluster's admission webhooks and policies have not been read: the check delegated-admission says why"))
	return s.generic.AddPostStartHook("upstream-monitor", func(hook genericapiserver.PostStartHookContext) error {
		// Informers first: the monitor takes those not started for not needed.
		s.kubeAPIServer.informers.Start(hook.Done())
		go monitor.Run(hook)
		return nil
	})
}

func (s *Server) monitorConfig() (kubeapiserver.Config, error) {
	identity := s.config.Identity
	authentication, err := identity.AuthenticationClientConfig()
	if err != nil {
		return kubeapiserver.Config{}, err
	}
	authorization, err := identity.AuthorizationClientConfig()
	if err != nil {
		return kubeapiserver.Config{}, err
	}
	config := kubeapiserver.Config{
		Authentication:   authentication,
		Authorization:    authorization,
		MutatingPolicies: s.kubeAPIServer.mutating,
		TrustOptional:    identity.Authentication.TolerateInClusterLookupFailure,
		Informers:        s.kubeAPIServer.informers,
		Clock:            s.config.Clock,
		Log:              klog.Background().WithName("kube-apiserver"),
	}
	if !identity.Authentication.SkipInClusterLookup {
		config.Trust = &kubeapiserver.Trust{
			ClientCA:   identity.Authentication.ClientCert.ClientCA == "",
			FrontProxy: identity.Authentication.RequestHeader.ClientCAFile == "",
			Knows:      s.trusts,
		}
	}
	return config, nil
}

// trusts reports whether this server trusts the CA bundle, and has the settings of
// the front proxy, if one is used.
func (s *Server) trusts(bundle string) bool {
	if proxy := s.generic.Authentication.RequestHeaderConfig; proxy != nil {
		if _, known := proxy.CAContentProvider.VerifyOptions(); !known || len(proxy.UsernameHeaders.Value()) == 0 {
			return false
		}
	}
	return bytes.Contains(s.generic.SecureServing.ClientCA.CurrentCABundleContent(), bytes.TrimSpace([]byte(bundle)))
}
