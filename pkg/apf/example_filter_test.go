package apf_test

import (
	"net/http"

	"k8s.io/apiserver/pkg/endpoints/filters"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

// A server with a handler chain of its own puts the filter where the library's chain has
// WithPriorityAndFairness: behind authentication, in front of authorization.
func ExampleFlowControl_Filter() {
	client := fake.NewClientset(shutOutLevel(), shutOutSchema())
	factory := informers.NewSharedInformerFactory(client, 0)
	config := recommendedConfig()
	config.SharedInformerFactory = factory
	flowControl, err := apf.New(apf.ConfigFor(factory, client.FlowcontrolV1(), 100))
	if err != nil {
		panic(err)
	}
	config.FlowControl = flowControl // the server runs it and serves its debug endpoints
	config.BuildHandlerChainFunc = func(handler http.Handler, c *genericapiserver.Config) http.Handler {
		handler = filters.WithAuthorization(handler, c.Authorization.Authorizer, c.Serializer)
		handler = flowControl.Filter(apf.FilterOptions{
			LongRunning: c.LongRunningFunc,
			WaitLimit:   c.RequestTimeout / 4,
			Objects:     apf.ObjectsOf(c.StorageObjectCountTracker.Get),
			Sizes:       apf.SizesOf(c.StorageObjectCountTracker.Get),
			ListCost:    estimate.CostLearned,
		})(handler)
		handler = filters.WithAuthentication(handler, c.Authentication.Authenticator, filters.Unauthorized(c.Serializer),
			c.Authentication.APIAudiences, c.Authentication.RequestHeaderConfig)
		handler = filters.WithRequestInfo(handler, c.RequestInfoResolver)
		return filters.WithRequestReceivedTimestamp(handler)
	}

	server := newServerOf(config)
	flowControl.InstallMetrics(server.Handler.NonGoRestfulMux)
	defer run(server, factory)()
	<-flowControl.Applied()
	askAs(server.Handler, "alice", "runaway")

	// Output:
	// alice 200 OK
	// runaway 429 Too Many Requests
}
