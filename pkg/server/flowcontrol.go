package server

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
	restclient "k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/options"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	flowcontrolv1client "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/typed/flowcontrol/v1"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions"
	informers "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions/flowcontrol/v1"
)

// flowControl is the engine.
type flowControl struct{ *options.FlowControl }

// ownObjects is how this server reads the objects that it stores, from its own API.
type ownObjects struct {
	client flowcontrolv1client.FlowcontrolV1Interface
	informers.Interface
}

// newOwnObjects returns the client, and informers that start with the server.
func newOwnObjects(generic *genericapiserver.Config) (ownObjects, error) {
	config := restclient.CopyConfig(generic.LoopbackClientConfig)
	config.WarningHandler = restclient.NoWarnings{} // warnings are for people
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return ownObjects{}, err
	}
	factory := externalversions.NewSharedInformerFactory(client, 0)
	return ownObjects{client.FlowcontrolV1(), factory.Flowcontrol().V1()}, generic.AddPostStartHook("flowcontrol-informers", func(hook genericapiserver.PostStartHookContext) error {
		factory.Start(hook.Done())
		return nil
	})
}

// newFlowControl returns the engine, which enforces the objects, and makes its part of the handler
// chain. It returns nil if it is disabled.
func newFlowControl(c CompletedConfig, generic *genericapiserver.Config, own ownObjects, reads prometheus.Collector) (*flowControl, error) {
	if !c.Features.EnablePriorityAndFairness {
		return nil, nil
	}
	source := &options.Informers{
		Levels:        own.PriorityLevelConfigurations().Informer(),
		Schemas:       own.FlowSchemas().Informer(),
		SchemaPatcher: own.client.FlowSchemas(),
		LevelGetter:   own.client.PriorityLevelConfigurations(),
	}
	sizes, collectors, err := measureSizes(source.Levels, source.Schemas)
	if err != nil {
		return nil, fmt.Errorf("flow control: %w", err)
	}
	o := options.NewOptions()
	o.Informers, o.Seats, o.Total = source, c.totalSeats(), c.TotalControl
	o.ListCost, o.Tenants, o.Filter = c.ListCost, c.Tenants, filterOptions(c, generic, sizes)
	if err := o.ApplyTo(generic); err != nil {
		return nil, fmt.Errorf("flow control: %w", err)
	}
	f := &flowControl{generic.FlowControl.(*options.FlowControl)}
	for _, collector := range append(collectors, reads) {
		if err := f.Registry().Register(collector); err != nil {
			return nil, fmt.Errorf("flow control: %w", err)
		}
	}
	return f, nil
}

// filterOptions returns what a request meets beside its seats.
func filterOptions(c CompletedConfig, generic *genericapiserver.Config, sizes func(groupResource string) int64) filter.Options {
	of := filter.Options{
		Sizes:       sizes,
		CountsReads: true, // by namingTransformer
		ExemptLimit: filter.ExemptLimit{InFlight: c.MaxExemptRequestsInFlight, Bypasses: bypassesExemptLimit},
		Own:         isOwn,
		Explain:     newRejectionReaders(generic.Authorization.Authorizer, c.authorizesLocally()).include,
		Serializer:  generic.Serializer,
	}
	if generic.AuditBackend != nil {
		of.Annotations = c.AuditFlowControl
	}
	return of
}

// totalSeats returns the seats of a server, 0 without flow control.
func (c CompletedConfig) totalSeats() int {
	if !c.Features.EnablePriorityAndFairness {
		return 0
	}
	return c.Run.MaxRequestsInFlight + c.Run.MaxMutatingRequestsInFlight
}

// isOwn reports whether a requester is this server, or the kube-apiserver in front.
func isOwn(requester user.Info) bool { return requester.GetName() == user.APIServerUser }

// bypassesExemptLimit reports whether a request comes from this server or is for health:
// enforcement and restarts depend on them.
func bypassesExemptLimit(info *apirequest.RequestInfo, requester user.Info) bool {
	return isOwn(requester) || filter.IsProbe(info)
}
