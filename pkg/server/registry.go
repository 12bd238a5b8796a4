package server

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	restclient "k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
	registry "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/bootstrap"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/identity"
)

func (s *Server) installAPIGroup(context.Context) error {
	group, err := registry.Provider{
		Scheme:    s.scheme,
		Codecs:    s.codecs,
		Options:   s.generic.RESTOptionsGetter,
		Enabled:   s.generic.MergedResourceConfig,
		Informers: s.informers.Flowcontrol().V1(),
		Clock:     s.config.Clock,
		Advisor:   lint.NewAdvisor(bootstrap.Defaults(), s.totalSeats()),

		GarbageCollection: s.garbageCollection(),
	}.APIGroupInfo()
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("etcd at %s did not respond: check that it runs, that the address is right, and that --etcd-cafile, --etcd-certfile and --etcd-keyfile match it",
			strings.Join(s.config.Etcd.StorageConfig.Transport.ServerList, ","))
	}
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	return s.apiserver.InstallAPIGroup(group)
}

// garbageCollection returns the policy of the registry. An object is complete without
// dependents; only kube-controller-manager, behind a kube-apiserver, removes the
// finalizers that wait for them.
func (s *Server) garbageCollection() rest.GarbageCollectionPolicy {
	if s.config.LocalIdentity {
		return rest.Unsupported
	}
	return rest.DeleteDependents
}

// installSelfReviews lets clients ask who they are and what they may do, where no
// kube-apiserver answers them.
func (s *Server) installSelfReviews(context.Context) error {
	rules, ok := s.generic.Authorization.Authorizer.(authorizer.RuleResolver)
	if !ok {
		return nil
	}
	groups, err := identity.SelfReviewGroups(s.generic.MergedResourceConfig, s.generic.Authorization.Authorizer, rules)
	if err != nil || len(groups) == 0 {
		return err
	}
	return s.apiserver.InstallAPIGroups(groups...)
}

// waitForStorage delays readiness until the watch caches are initialized, for at
// most --storage-initialization-timeout, if the feature is enabled.
func (s *Server) waitForStorage(context.Context) error {
	if !s.generic.FeatureGate.Enabled(features.WatchCacheInitializationPostStartHook) {
		return nil
	}
	return s.apiserver.AddPostStartHook("storage-readiness", s.apiserver.StorageReadinessHook.Hook)
}

// keepBuiltInObjects runs the keeper of the mandatory and suggested objects.
// Readiness waits for its first pass, and says what the last one could not do.
func (s *Server) keepBuiltInObjects(context.Context) error {
	config := restclient.CopyConfig(s.apiserver.LoopbackClientConfig)
	config.WarningHandler = restclient.NoWarnings{} // warnings are for people
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return err
	}
	var reporter bootstrap.Reporter
	events := s.newEvents()
	if events != nil {
		reporter = events
	}
	keeper := bootstrap.New(client.FlowcontrolV1(), s.informers.Flowcontrol().V1(), reporter, s.config.Clock, klog.Background())
	if err := s.metrics.Register(keeper.Metrics()); err != nil {
		return err
	}
	if err := s.apiserver.AddPostStartHook("flowcontrol-built-in-objects", func(hook genericapiserver.PostStartHookContext) error {
		if events != nil {
			events.Start(hook)
			go events.Run(hook)
		}
		go keeper.Run(hook)
		return nil
	}); err != nil {
		return err
	}
	s.keeper = keeper
	return s.apiserver.AddReadyzChecks(keeper)
}
