package app

import (
	"context"
	"fmt"
	"net/http"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	kubeinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
)

// applyFlowControl puts the engine into the handler chain and feeds it the
// objects that are stored here, read through this server's own API.
func (c *Config) applyFlowControl(context.Context) error {
	if !c.options.Features.EnablePriorityAndFairness {
		return nil
	}
	engine, informers, err := newFlowControl(c.generic.LoopbackClientConfig, c.generic.MaxRequestsInFlight+c.generic.MaxMutatingRequestsInFlight)
	if err != nil {
		return fmt.Errorf("flow control: %w", err)
	}
	c.generic.FlowControl = engine
	if err := c.generic.AddPostStartHook("flowcontrol-informers", func(hook genericapiserver.PostStartHookContext) error {
		informers.Start(hook.Done())
		return nil
	}); err != nil {
		return err
	}
	c.generic.AddReadyzChecks(healthz.NamedCheck("flowcontrol-informers-synced", func(*http.Request) error {
		return informersSynced(informers)
	}))
	return nil
}

// newFlowControl makes the engine, for seats in all, and the informers that
// tell it its configuration once they are started.
func newFlowControl(loopback *restclient.Config, seats int) (flowcontrol.Interface, kubeinformers.SharedInformerFactory, error) {
	client, err := kubernetes.NewForConfig(loopback)
	if err != nil {
		return nil, nil, err
	}
	informers := kubeinformers.NewSharedInformerFactory(client, 0)
	return flowcontrol.New(informers, client.FlowcontrolV1(), seats), informers, nil
}

func informersSynced(informers kubeinformers.SharedInformerFactory) error {
	closed := make(chan struct{})
	close(closed)
	for resource, synced := range informers.WaitForCacheSync(closed) {
		if !synced {
			return fmt.Errorf("the %v are not read yet", resource)
		}
	}
	return nil
}
