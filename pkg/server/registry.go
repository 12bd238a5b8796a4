package server

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
	registry "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/bootstrap"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/events"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/identity"
)

// installAPIGroup serves the objects.
func installAPIGroup(c CompletedConfig, apiserver *genericapiserver.GenericAPIServer, generic *genericapiserver.Config, own ownObjects) error {
	// An object is complete without dependents; only kube-controller-manager, behind a
	// kube-apiserver, removes the finalizers that wait for them.
	garbageCollection := rest.DeleteDependents
	if c.LocalIdentity {
		garbageCollection = rest.Unsupported
	}
	group, err := registry.Provider{
		Scheme:    c.scheme,
		Codecs:    serializer.NewCodecFactory(c.scheme),
		Options:   generic.RESTOptionsGetter,
		Enabled:   generic.MergedResourceConfig,
		Informers: own,
		Clock:     c.Clock,
		Advisor:   lint.NewAdvisor(bootstrap.Defaults(), c.totalSeats(), c.Clock),

		GarbageCollection: garbageCollection,
	}.APIGroupInfo()
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("etcd at %s did not respond: check that it runs, that the address is right, and that --etcd-cafile, --etcd-certfile and --etcd-keyfile match it",
			strings.Join(c.Etcd.StorageConfig.Transport.ServerList, ","))
	}
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	return apiserver.InstallAPIGroup(group)
}

// installSelfReviews lets clients ask who they are and what they may do, where no
// kube-apiserver answers them.
func installSelfReviews(apiserver *genericapiserver.GenericAPIServer, generic *genericapiserver.Config) error {
	rules, ok := generic.Authorization.Authorizer.(authorizer.RuleResolver)
	if !ok {
		return nil
	}
	groups, err := identity.SelfReviewGroups(generic.MergedResourceConfig, generic.Authorization.Authorizer, rules)
	if err != nil || len(groups) == 0 {
		return err
	}
	return apiserver.InstallAPIGroups(groups...)
}

// newKeeper returns the keeper of the mandatory and suggested objects, which runs with the server.
func newKeeper(c CompletedConfig, generic *genericapiserver.Config, own ownObjects, events *events.Reporter) (*bootstrap.Keeper, error) {
	var reporter bootstrap.Reporter
	if events != nil {
		reporter = events
	}
	keeper := bootstrap.New(own.client, own, reporter, c.Clock, klog.Background())
	return keeper, generic.AddPostStartHook("flowcontrol-built-in-objects", func(hook genericapiserver.PostStartHookContext) error {
		if events != nil {
			events.Start(hook)
			go events.Run(hook)
		}
		go keeper.Run(hook)
		return nil
	})
}
