package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	restclient "k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions"
)

// configuredCheck is the name of the check on /readyz that waits for the stored
// configuration.
const configuredCheck = "flowcontrol-configured"

// flowControl is the engine with what tells it the configuration and what
// counts its requests by kind.
type flowControl struct {
	*apf.FlowControl
	informers externalversions.SharedInformerFactory
	gauges    *stats.KindGauges
}

// applyFlowControl puts the engine into the handler chain and feeds it the
// objects that are stored here, read through this server's own API.
func (c *Config) applyFlowControl(ctx context.Context) error {
	if !c.options.Features.EnablePriorityAndFairness {
		return nil
	}
	if other := c.options.FlowControl; other != nil {
		return other(ctx, c.generic)
	}
	flowControl, err := newFlowControl(c.generic.LoopbackClientConfig, c.generic.MaxRequestsInFlight+c.generic.MaxMutatingRequestsInFlight)
	if err != nil {
		return fmt.Errorf("flow control: %w", err)
	}
	c.generic.FlowControl = flowControl
	c.flowControl = flowControl
	c.generic.BuildHandlerChainFunc = func(api http.Handler, generic *genericapiserver.Config) http.Handler {
		return handlerChain(api, generic, flowControl.filter(generic))
	}
	if err := c.generic.AddPostStartHook("flowcontrol-informers", func(hook genericapiserver.PostStartHookContext) error {
		flowControl.informers.Start(hook.Done())
		return nil
	}); err != nil {
		return err
	}
	c.generic.AddReadyzChecks(healthz.NamedCheck(configuredCheck, flowControl.check))
	return nil
}

// newFlowControl makes the engine, for so many seats, and the informers that
// tell it its configuration once they are started.
func newFlowControl(loopback *restclient.Config, seats int) (*flowControl, error) {
	client, err := versioned.NewForConfig(loopback)
	if err != nil {
		return nil, err
	}
	informers := externalversions.NewSharedInformerFactory(client, 0)
	v1 := informers.Flowcontrol().V1()
	engine, err := apf.New(apf.Config{
		Levels:        v1.PriorityLevelConfigurations().Informer(),
		Schemas:       v1.FlowSchemas().Informer(),
		SchemaPatcher: client.FlowcontrolV1().FlowSchemas(),
		LevelGetter:   client.FlowcontrolV1().PriorityLevelConfigurations(),
		Total:         seats,
	})
	if err != nil {
		return nil, err
	}
	gauges := stats.NewKindGauges(engine.Engine().Now())
	return &flowControl{FlowControl: engine, informers: informers, gauges: gauges}, nil
}

// filter returns the filter that asks the engine.
func (f *flowControl) filter(c *genericapiserver.Config) func(http.Handler) http.Handler {
	return filter.New(f.Engine(), filter.Options{
		LongRunning: c.LongRunningFunc,
		WaitLimit:   c.RequestTimeout / 4,
		Objects:     c.StorageObjectCountTracker.Get,
		Watches:     f,
		Gauges:      f.gauges,
	})
}

// kinds tells how many requests of each kind there are, as a share of how many
// may wait and execute on all levels.
func (f *flowControl) kinds() stats.KindSnapshot {
	waiting, executing := 0, 0
	for _, level := range f.Engine().Report().Levels {
		executing += level.Limits.Nominal
		if level.Config.Discipline == queueset.Queue {
			waiting += level.Config.Queues * level.Config.QueueLengthLimit
		}
	}
	now := f.Engine().Now()
	f.gauges.SetDenominators(now, float64(waiting), float64(executing))
	return f.gauges.Snapshot(now)
}

// check is not OK until the stored configuration is in force.
func (f *flowControl) check(*http.Request) error {
	select {
	case <-f.Applied():
		return nil
	default:
		return errors.New("the stored FlowSchemas and PriorityLevelConfigurations are not in force yet")
	}
}
