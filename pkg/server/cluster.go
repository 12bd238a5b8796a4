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
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/controlplane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/readiness"
)

// cluster is the kube-apiserver in front of this server: the place of the
// webhooks and policies that apply to our objects too.
type cluster struct {
	client    kubernetes.Interface
	dynamic   dynamic.Interface
	informers informers.SharedInformerFactory
}

func (c *Config) connectCluster(context.Context) error {
	config, err := c.options.Identity.ClientConfig()
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
	c.cluster = &cluster{client: client, dynamic: dynamicClient, informers: informers.NewSharedInformerFactory(client, 0)}
	return nil
}

// applyAdmission puts the cluster's admission before every write. A server
// alone has no webhooks or policies to ask.
func (c *Config) applyAdmission(context.Context) error {
	if c.cluster == nil {
		return nil
	}
	if err := c.options.Admission.ApplyTo(c.generic, c.cluster.informers, c.cluster.client, c.cluster.dynamic, c.generic.FeatureGate); err != nil {
		return fmt.Errorf("admission: %w", err)
	}
	return nil
}

// watchCluster makes readiness wait for what kube-apiserver must give, and say
// what is missing.
func (c *Config) watchCluster(context.Context) error {
	if c.cluster == nil {
		return nil
	}
	identity := c.options.Identity
	authentication, err := identity.AuthenticationClientConfig()
	if err != nil {
		return err
	}
	authorization, err := identity.AuthorizationClientConfig()
	if err != nil {
		return err
	}
	config := controlplane.Config{
		Authentication: authentication,
		Authorization:  authorization,
		TrustOptional:  identity.Authentication.TolerateInClusterLookupFailure,
		Informers:      c.cluster.informers,
		Clock:          clock.RealClock{},
		Log:            klog.Background().WithName("upstream"),
	}
	if !identity.Authentication.SkipInClusterLookup {
		config.Trust = &controlplane.Trust{
			ClientCA:   identity.Authentication.ClientCert.ClientCA == "",
			FrontProxy: identity.Authentication.RequestHeader.ClientCAFile == "",
			Knows:      c.trusts,
		}
	}
	monitor, err := controlplane.New(config)
	if err != nil {
		return err
	}
	for _, check := range monitor.Checks() {
		c.generic.AddReadyzChecks(check)
		c.remarks = append(c.remarks, readiness.Remark{Check: check.Name(), Text: check.Message, Passing: true})
	}
	c.remarks = append(c.remarks,
		readiness.Failing("informer-sync", "the cluster's webhooks and policies are not read yet: delegated-admission says why"))
	return c.generic.AddPostStartHook("upstream-monitor", func(hook genericapiserver.PostStartHookContext) error {
		c.cluster.informers.Start(hook.Done()) // or the monitor takes none for all
		go monitor.Run(hook)
		return nil
	})
}

// trusts tells whether these certificates are in force, and with them the front
// proxy, if there is one.
func (c *Config) trusts(bundle string) bool {
	if proxy := c.generic.Authentication.RequestHeaderConfig; proxy != nil {
		if _, known := proxy.CAContentProvider.VerifyOptions(); !known {
			return false
		}
	}
	return bytes.Contains(c.generic.SecureServing.ClientCA.CurrentCABundleContent(), bytes.TrimSpace([]byte(bundle)))
}
